/*-------------------------------------------------------------------------
 *
 * wal_room.h
 *		Delays that fill the WAL buffers; see wal_room.c.
 *
 *-------------------------------------------------------------------------
 */
#ifndef COMMIT_STATS_WAL_ROOM_H
#define COMMIT_STATS_WAL_ROOM_H

#include "access/xlogdefs.h"

#include "tuning/tuning_args.h"

/* Where the WAL ended, and when. */
typedef struct WalRoom
{
	XLogRecPtr	lsn;
	uint64		at;				/* clock_now() */
} WalRoom;

extern void wal_room_begin(WalRoom *begin);
extern void wal_room_warn(const WalRoom *begin, const DelayPairs *pairs);

#endif							/* COMMIT_STATS_WAL_ROOM_H */
