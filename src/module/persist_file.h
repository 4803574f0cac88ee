/*-------------------------------------------------------------------------
 *
 * persist_file.h
 *		The format of the file of saved statistics; see persist_file.c.
 *
 *-------------------------------------------------------------------------
 */
#ifndef COMMIT_STATS_PERSIST_FILE_H
#define COMMIT_STATS_PERSIST_FILE_H

/*
 * The magic and the format stand first in a file of any format.  The format
 * changes with whatever is written: the header, or what a module saves.  If
 * it was forgotten, script/check fails, and prints what else to change.
 */
#define PERSIST_MAGIC		UINT64CONST(0x434d545354415453)
#define PERSIST_FORMAT		6

/* One of each module that has something to save; see persist.c. */
#define PERSIST_PARTS		5

/* No file is larger: 262,143 connections and 10,000 clients take 15 MB. */
#define PERSIST_MAX_SIZE	(16 * 1024 * 1024)

/*
 * The data directory as it was when the file was written, so that the file is
 * only read with the data that it belongs to.
 */
typedef struct PersistState
{
	uint64		system_identifier;
	uint64		checkpoint;		/* where the last one is in the WAL */
	int64		checkpoint_time;	/* and when it was */
	uint64		min_recovery;	/* how far a standby has come */
	uint32		state;			/* DBState: shut down, by itself or a standby */
	uint32		server;			/* major version */
} PersistState;

typedef struct PersistHeader
{
	uint64		magic;
	uint32		format;
	uint32		nparts;
	uint64		size;			/* of the file, from magic to checksum */
	PersistState state;
	uint64		part_size[PERSIST_PARTS];	/* multiples of 8 */
} PersistHeader;

/* May the statistics in a file be used, or why not? */
typedef enum PersistVerdict
{
	PERSIST_GOOD,
	PERSIST_DAMAGED,
	PERSIST_FOREIGN,			/* no file of commit_stats */
	PERSIST_OTHER_FORMAT,
	PERSIST_OTHER_SERVER,		/* another major version: pg_upgrade */
	PERSIST_OTHER_SYSTEM,		/* another database cluster */
	PERSIST_STALE,				/* the data directory has changed since */
	PERSIST_UNFIT				/* a module cannot use its part */
} PersistVerdict;

extern uint64 persist_file_size(const uint64 *part_size);
extern void persist_file_start(char *file, const PersistState *state,
							   const uint64 *part_size);
extern void persist_file_seal(char *file);
extern PersistVerdict persist_file_check(const char *file, uint64 size,
										 const PersistState *now);
extern char *persist_file_part(char *file, int part);

#endif							/* COMMIT_STATS_PERSIST_FILE_H */
