/* What keeps WAL segments from being recycled; see wal_keeper.c. */
#ifndef COMMIT_STATS_WAL_KEEPER_H
#define COMMIT_STATS_WAL_KEEPER_H

typedef enum WalKeeper
{
	KEEPER_NONE,				/* but for what archives, which shows itself */
	KEEPER_SIZE,				/* wal_keep_size */
	KEEPER_SLOT					/* a replication slot */
} WalKeeper;

/* Any process; "slot" becomes the name of KEEPER_SLOT. */
extern WalKeeper wal_keeper_find(Name slot);

#endif							/* COMMIT_STATS_WAL_KEEPER_H */
