/*-------------------------------------------------------------------------
 *
 * persist_file.c
 *		The file in which statistics survive a restart: its format.
 *
 * A file is a header, the parts of the rooms one after another, and a CRC-32C
 * of all that.  It is made and read in memory as a whole; what is in a part is
 * the room's own business, and what to do with a file is persist.c's.
 *
 * Invariant: nothing that stands in a file is relied on before it was compared
 * with what is known without the file: first whose file it is and in which
 * format, then its size, then the checksum, and only then the rest.
 *
 * Locking: none; this knows neither shared memory nor the server's files.
 *
 * src/stats/persist_file.c
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "port/pg_crc32c.h"

#include "stats/persist_file.h"

/* Parts begin where a 64-bit number can be. */
#define PART_ALIGNMENT	sizeof(uint64)

StaticAssertDecl(sizeof(KeepHeader) % PART_ALIGNMENT == 0,
				 "first part is not aligned");

/* The size of a file with parts of these sizes. */
uint64
keep_file_size(const uint64 *part_size)
{
	uint64		size = sizeof(KeepHeader) + sizeof(pg_crc32c);

	for (int i = 0; i < KEEP_PARTS; i++)
		size += part_size[i];
	return size;
}

/* Make the header; "file" has room for keep_file_size(part_size) bytes. */
void
keep_file_start(char *file, const KeepState *state, const uint64 *part_size)
{
	KeepHeader *header = (KeepHeader *) file;

	memset(header, 0, sizeof(KeepHeader));
	header->magic = KEEP_MAGIC;
	header->format = KEEP_FORMAT;
	header->nparts = KEEP_PARTS;
	header->size = keep_file_size(part_size);
	header->state = *state;
	for (int i = 0; i < KEEP_PARTS; i++)
	{
		Assert(part_size[i] % PART_ALIGNMENT == 0);
		header->part_size[i] = part_size[i];
	}
}

static pg_crc32c
checksum(const char *file, uint64 size)
{
	pg_crc32c	crc;

	INIT_CRC32C(crc);
	COMP_CRC32C(crc, file, size - sizeof(pg_crc32c));
	FIN_CRC32C(crc);
	return crc;
}

/* The last thing to be done to a file: the checksum. */
void
keep_file_seal(char *file)
{
	uint64		size = ((KeepHeader *) file)->size;
	pg_crc32c	crc = checksum(file, size);

	memcpy(file + size - sizeof(crc), &crc, sizeof(crc));
}

static bool
checksum_is_right(const char *file, uint64 size)
{
	pg_crc32c	crc;

	memcpy(&crc, file + size - sizeof(crc), sizeof(crc));
	return EQ_CRC32C(crc, checksum(file, size));
}

/* Are there the parts that there should be, and do they fill the file? */
static bool
parts_are_right(const KeepHeader *header)
{
	uint64		left = header->size - sizeof(KeepHeader) - sizeof(pg_crc32c);

	if (header->nparts != KEEP_PARTS)
		return false;
	for (int i = 0; i < KEEP_PARTS; i++)
	{
		if (header->part_size[i] > left ||
			header->part_size[i] % PART_ALIGNMENT != 0)
			return false;
		left -= header->part_size[i];
	}
	return left == 0;
}

/* Does the file belong to the data directory as it is now? */
static KeepVerdict
check_state(const KeepState *then, const KeepState *now)
{
	if (then->server != now->server)
		return KEEP_OTHER_SERVER;
	if (then->system_identifier != now->system_identifier)
		return KEEP_OTHER_SYSTEM;
	if (then->state != now->state ||
		then->checkpoint != now->checkpoint ||
		then->checkpoint_time != now->checkpoint_time ||
		then->min_recovery != now->min_recovery)
		return KEEP_STALE;
	return KEEP_GOOD;
}

/*
 * May these "size" bytes be used, where the data directory is "now"?  They can
 * be anything; "file" is aligned as palloc does.
 */
KeepVerdict
keep_file_check(const char *file, uint64 size, const KeepState *now)
{
	const KeepHeader *header = (const KeepHeader *) file;

	if (size < offsetof(KeepHeader, nparts))
		return KEEP_DAMAGED;
	if (header->magic != KEEP_MAGIC)
		return KEEP_FOREIGN;
	if (header->format != KEEP_FORMAT)
		return KEEP_OTHER_FORMAT;
	if (size < sizeof(KeepHeader) + sizeof(pg_crc32c) ||
		header->size != size ||
		!checksum_is_right(file, size) ||
		!parts_are_right(header))
		return KEEP_DAMAGED;
	return check_state(&header->state, now);
}

/* Where a part begins, in a file that was made here or checked. */
char *
keep_file_part(char *file, int part)
{
	const KeepHeader *header = (const KeepHeader *) file;
	char	   *begin = file + sizeof(KeepHeader);

	for (int i = 0; i < part; i++)
		begin += header->part_size[i];
	return begin;
}
