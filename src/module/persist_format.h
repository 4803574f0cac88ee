/* The format of the file of saved statistics; see persist_format.c. */
#ifndef COMMIT_STATS_PERSIST_FORMAT_H
#define COMMIT_STATS_PERSIST_FORMAT_H

/*
 * The magic and the format stand first in a file of any format.  The format
 * changes with whatever is written: the header, or what a module saves.  If
 * it was forgotten, script/check fails, and prints what else to change.
 */
#define PERSIST_MAGIC		UINT64CONST(0x434d545354415453)
#define PERSIST_FORMAT		17

/* Why a file is refused that was written at another time. */
#define PERSIST_STALE \
	"The data directory is not in the state in which it was when the file was written."

/* The largest: 262,143 connections, 10,000 clients, 50,000 statements: 25 MB */
#define PERSIST_MAX_SIZE	(32 * 1024 * 1024)

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
} PersistHeader;

/* What a module has saved: this, and behind it "size" bytes. */
typedef struct PersistPart
{
	char		name[24];		/* ends with a zero byte */
	uint64		size;			/* a multiple of 8 */
} PersistPart;

/* persist.c.  Nothing there raises an error: failures are logged. */
extern void persist_start(void);
extern char *persist_allocate(Size size);
extern bool persist_write(const char *path, const char *from, Size size);
extern char *persist_read(const char *path, Size max_size, uint64 *size);

extern char *persist_format_add(char *end, const char *name, uint64 size);
extern void persist_format_seal(char *file, uint64 size, uint32 nparts,
								const PersistState *state);
extern const char *persist_format_refuse(const char *file, uint64 size,
										 const PersistState *now);
extern PersistPart *persist_format_find(char *file, const char *name);

#endif							/* COMMIT_STATS_PERSIST_FORMAT_H */
