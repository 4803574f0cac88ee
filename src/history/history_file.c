/*-------------------------------------------------------------------------
 *
 * history_file.c
 *		The history across restarts, in a file of its own.
 *
 * The file has the format of persist_format.c.  Its parts are the minutes and
 * the hours, oldest first, each row packed, as most cells are 0.
 *
 * The worker replaces the file every WRITE_EVERY, and the postmaster when the
 * server has been shut down; a start reads it.  It stays while the server
 * runs, as rows of the past are true of any later state of the server: a crash
 * loses the rows since it was written.  The file of a base backup belongs to
 * the copy, too.
 *
 * Invariant: a value from a file is used only after the checksum was checked.
 * A file that is refused becomes ".damaged".
 *
 * Locking: none.  The worker alone writes rows; the postmaster reads and
 * writes them while there is no other process.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "miscadmin.h"
#include "pgstat.h"
#include "port/pg_crc32c.h"
#include "storage/fd.h"

#include "base/guc.h"
#include "history/history.h"
#include "module/persist_format.h"

#define HISTORY_FILE	PGSTAT_STAT_PERMANENT_DIRECTORY "/commit_stats_history.stat"

#define ROW_WORDS		(sizeof(HistoryRow) / sizeof(uint64))

/* Of each run, its head takes the place of a 0 at least, but for the first. */
#define PACKED_MAX		(sizeof(HistoryRow) + sizeof(uint64))

#define FILE_SIZE(nrows) \
	(sizeof(PersistHeader) + HISTORY_NRINGS * sizeof(PersistPart) + \
	 (nrows) * PACKED_MAX + sizeof(pg_crc32c))

static const char *const part_names[] = {
	[HISTORY_MINUTES] = "minutes",
	[HISTORY_HOURS] = "hours"
};

/* The rows of the past belong to any state of the data directory. */
static const PersistState any_state;

/*
 * Packed words: a head with the number of words that are 0 and of those that
 * follow and are not, these, and so on.  Returns the end of the result.
 */
static uint64 *
pack(const uint64 *from, Size nwords, uint64 *to)
{
	const uint64 *end = from + nwords;

	while (from < end)
	{
		uint64	   *head = to++;

		for (*head = 0; from < end && *from == 0; from++)
			*head += UINT64CONST(1) << 32;
		for (; from < end && *from != 0; (*head)++)
			*to++ = *from++;
	}
	return to;
}

/* Into zeroed memory.  Returns what follows; null if "to" is not filled. */
static const uint64 *
unpack(const uint64 *from, const uint64 *end, uint64 *to, Size nwords)
{
	while (nwords > 0 && from < end)
	{
		Size		zeros = *from >> 32;
		Size		others = (uint32) *from++;

		if (zeros > nwords || others > nwords - zeros || others > end - from)
			return NULL;
		memcpy(to + zeros, from, others * sizeof(uint64));
		from += others;
		to += zeros + others;
		nwords -= zeros + others;
	}
	return nwords == 0 ? from : NULL;
}

void
history_file_write(void)
{
	Size		nrows = 0;
	char	   *file;
	char	   *end;

	/* pg_upgrade restores a schema, which is nobody's load */
	if (IsBinaryUpgrade)
		return;
	for (int i = 0; i < HISTORY_NRINGS; i++)
		nrows += pg_atomic_read_u64(history_rows[i].newest) + 1 - history_first(i);
	file = persist_allocate(FILE_SIZE(nrows));
	if (file == NULL)
		return;
	end = file + sizeof(PersistHeader);
	for (int i = 0; i < HISTORY_NRINGS; i++)
	{
		uint64	   *rows = (uint64 *) (end + sizeof(PersistPart));
		uint64	   *to = rows;

		for (uint64 n = history_first(i);
			 n <= pg_atomic_read_u64(history_rows[i].newest); n++)
			to = pack((uint64 *) history_row(i, n), ROW_WORDS, to);
		(void) persist_format_add(end, part_names[i],
								  (char *) to - (char *) rows);
		end = (char *) to;
	}
	end += sizeof(pg_crc32c);
	persist_format_seal(file, end - file, HISTORY_NRINGS, &any_state);
	(void) persist_write(HISTORY_FILE, file, end - file);
	pfree(file);
}

/* A smaller ring keeps the newest rows.  False: these are none. */
static bool
restore_rows(HistoryRing ring, const PersistPart *part)
{
	const HistoryRows *rows = &history_rows[ring];
	const uint64 *from;
	const uint64 *end;

	if (part == NULL)
		return false;
	from = (const uint64 *) (part + 1);
	end = from + part->size / sizeof(uint64);
	for (uint64 n = 1; from != end; n++)
	{
		HistoryRow	row = {0};

		from = unpack(from, end, (uint64 *) &row, ROW_WORDS);
		if (from == NULL)
			return false;
		row.number = n;
		if (rows->size > 0)
			*history_row(ring, n) = row;
		pg_atomic_write_u64(rows->newest, n);
	}
	return true;
}

/* For the postmaster; there may be no file. */
void
history_file_read(void)
{
	uint64		size;
	char	   *file = persist_read(HISTORY_FILE,
									FILE_SIZE(HISTORY_MINUTES_MAX + HISTORY_HOURS_MAX),
									&size);
	const char *why;

	if (file == NULL)
		return;
	why = persist_format_refuse(file, size, &any_state);
	for (int i = 0; i < HISTORY_NRINGS && why == NULL; i++)
		if (!restore_rows(i, persist_format_find(file, part_names[i])))
			why = "Its rows are not those of this version of commit_stats.";
	pfree(file);
	if (why == NULL)
		return;
	for (int i = 0; i < HISTORY_NRINGS; i++)
		pg_atomic_write_u64(history_rows[i].newest, 0);
	ereport(WARNING,
			(errcode(ERRCODE_DATA_CORRUPTED),
			 errmsg("refused file \"%s\"; commit_history starts empty",
					HISTORY_FILE),
			 errdetail_internal("%s", why),
			 errhint("It is kept as \"%s\".", HISTORY_FILE ".damaged")));
	(void) durable_rename(HISTORY_FILE, HISTORY_FILE ".damaged", LOG);
}
