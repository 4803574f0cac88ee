/*-------------------------------------------------------------------------
 *
 * history_file.c
 *		The history across restarts, in a file of its own.
 *
 *	HistoryHeader	magic, format, how many rows of which size, CRC-32C
 *	rows			HistoryRow, minutes and then hours, oldest first; each
 *					packed, as most cells are 0
 *
 * The worker replaces the file every HISTORY_WRITE_EVERY, and the postmaster
 * when the server has been shut down; a start reads it.  It stays while the
 * server runs, as rows of the past are true of any later state of the server:
 * a crash loses the rows since it was written.  The file of a base backup
 * belongs to the copy, too.
 *
 * Invariant: a value from a file is used only after the checksum was checked.
 * A file that is refused is set aside.
 *
 * Locking: none.  The worker alone writes rows; the postmaster reads and
 * writes them while there is no other process.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "pgstat.h"
#include "port/pg_crc32c.h"
#include "storage/fd.h"

#include "base/guc.h"
#include "history/history.h"
#include "module/persist_file.h"

#define HISTORY_FILE	PGSTAT_STAT_PERMANENT_DIRECTORY "/commit_stats_history.stat"
#define HISTORY_MAGIC	UINT64CONST(0x434d545348495354)

/* The counters of a row are those that persist.c saves. */
#define HISTORY_FORMAT	(1 + 1000 * PERSIST_FORMAT)

#define MAX_ROWS		(HISTORY_MINUTES_MAX + HISTORY_HOURS_MAX)
#define MAX_SIZE		(sizeof(HistoryHeader) + MAX_ROWS * PACKED_MAX)

/* Runs of 0 and of other words alternate: 3 words of a file for 2 at worst. */
#define ROW_WORDS		(sizeof(HistoryRow) / sizeof(uint32))
#define PACKED_MAX		((ROW_WORDS / 2 * 3 + 2) * sizeof(uint32))

typedef struct HistoryHeader
{
	uint64		magic;
	uint32		format;
	uint32		row_size;
	uint32		nrows[HISTORY_NRINGS];
	uint32		size;			/* of the packed rows, in bytes */
	pg_crc32c	crc;			/* of all but itself */
} HistoryHeader;

static pg_crc32c
history_checksum(const HistoryHeader *header)
{
	pg_crc32c	crc;

	INIT_CRC32C(crc);
	COMP_CRC32C(crc, header, offsetof(HistoryHeader, crc));
	COMP_CRC32C(crc, header + 1, header->size);
	FIN_CRC32C(crc);
	return crc;
}

/*
 * Packed words: how many are 0, how many follow that are not, these, and so
 * on.  Returns the end of the result.
 */
static uint32 *
pack(const uint32 *from, Size nwords, uint32 *to)
{
	const uint32 *end = from + nwords;

	while (from < end)
	{
		uint32	   *run = to;

		for (run[0] = 0; from < end && *from == 0; from++)
			run[0]++;
		for (to += 2; from < end && *from != 0; from++)
			*to++ = *from;
		run[1] = (uint32) (to - run - 2);
	}
	return to;
}

/* Into zeroed memory.  Returns false if it is not filled exactly. */
static bool
unpack(const uint32 *from, const uint32 *end, uint32 *to, Size nwords)
{
	while (end - from >= 2)
	{
		Size		zeros = from[0];
		Size		others = from[1];

		from += 2;
		if (zeros > nwords || others > nwords - zeros || others > end - from)
			return false;
		memcpy(to + zeros, from, others * sizeof(uint32));
		from += others;
		to += zeros + others;
		nwords -= zeros + others;
	}
	return from == end && nwords == 0;
}

void
history_file_write(void)
{
	HistoryHeader header = {
		.magic = HISTORY_MAGIC,
		.format = HISTORY_FORMAT,
		.row_size = sizeof(HistoryRow)
	};
	uint64		first[HISTORY_NRINGS];
	Size		nrows = 0;
	char	   *file;
	uint32	   *end;

	for (int i = 0; i < HISTORY_NRINGS; i++)
	{
		first[i] = history_first(i);
		header.nrows[i] = pg_atomic_read_u64(history_rows[i].newest) + 1 - first[i];
		nrows += header.nrows[i];
	}
	/* not zeroed, so that only what is used takes memory and time */
	file = palloc_extended(sizeof(header) + nrows * PACKED_MAX, MCXT_ALLOC_NO_OOM);
	if (file == NULL)
	{
		ereport(LOG,
				(errcode(ERRCODE_OUT_OF_MEMORY),
				 errmsg("out of memory"),
				 errdetail("The history was not written.")));
		return;
	}
	end = (uint32 *) (file + sizeof(header));
	for (int i = 0; i < HISTORY_NRINGS; i++)
		for (uint32 n = 0; n < header.nrows[i]; n++)
			end = pack((uint32 *) &history_rows[i].row[(first[i] + n - 1) %
													   history_rows[i].size],
					   ROW_WORDS, end);
	header.size = (char *) end - file - sizeof(header);
	memcpy(file, &header, sizeof(header));
	((HistoryHeader *) file)->crc = history_checksum((HistoryHeader *) file);
	(void) persist_write(HISTORY_FILE, file, sizeof(header) + header.size);
	pfree(file);
}

/* Returns null if these "size" bytes may be used, or why not. */
static const char *
refuse(const HistoryHeader *header, uint64 size)
{
	const char *const damaged = "It is damaged.";

	if (size < sizeof(HistoryHeader) || header->magic != HISTORY_MAGIC)
		return damaged;
	if (header->format != HISTORY_FORMAT || header->row_size != sizeof(HistoryRow))
		return "Another version of commit_stats has written it.";
	if (header->size != size - sizeof(HistoryHeader) ||
		header->crc != history_checksum(header) ||
		header->nrows[HISTORY_MINUTES] > HISTORY_MINUTES_MAX ||
		header->nrows[HISTORY_HOURS] > HISTORY_HOURS_MAX)
		return damaged;
	return NULL;
}

/* As many rows of the file as the ring has places, the newest ones. */
static void
restore_rows(HistoryRows *rows, const HistoryRow *from, int n)
{
	int			kept = Min(n, rows->size);

	for (int i = 0; i < kept; i++)
	{
		rows->row[i] = from[n - kept + i];
		rows->row[i].number = i + 1;
	}
	pg_atomic_write_u64(rows->newest, kept);
}

/* Returns false if the rows cannot be unpacked. */
static bool
restore_all(const HistoryHeader *header)
{
	const uint32 *n = header->nrows;
	Size		size = (n[0] + n[1]) * sizeof(HistoryRow);
	char	   *rows = persist_allocate(Max(size, 1));
	bool		unpacked;

	if (rows == NULL)
		return true;
	unpacked = unpack((const uint32 *) (header + 1),
					  (const uint32 *) (header + 1) + header->size / sizeof(uint32),
					  (uint32 *) rows, size / sizeof(uint32));
	if (unpacked)
		for (int i = 0; i < HISTORY_NRINGS; i++)
			restore_rows(&history_rows[i],
						 (HistoryRow *) rows + (i == 0 ? 0 : n[0]), n[i]);
	pfree(rows);
	return unpacked;
}

static void
set_aside(const char *why)
{
	ereport(WARNING,
			(errcode(ERRCODE_DATA_CORRUPTED),
			 errmsg("refused file \"%s\"; commit_history starts empty",
					HISTORY_FILE),
			 errdetail_internal("%s", why),
			 errhint("It is kept as \"%s\".", HISTORY_FILE ".damaged")));
	(void) durable_rename(HISTORY_FILE, HISTORY_FILE ".damaged", LOG);
}

/* For the postmaster; there may be no file. */
void
history_file_read(void)
{
	uint64		size;
	char	   *file = persist_read(HISTORY_FILE, MAX_SIZE, &size);
	const char *why;

	if (file == NULL)
		return;
	why = refuse((HistoryHeader *) file, size);
	if (why == NULL && !restore_all((HistoryHeader *) file))
		why = "It is damaged.";
	if (why != NULL)
		set_aside(why);
	pfree(file);
}
