/*-------------------------------------------------------------------------
 *
 * persist_file.c
 *		The format of the file that persist.c writes and reads.
 *
 * A file is a header, the parts of the modules one after another, and a
 * CRC-32C of all that.  It is made and read in memory as a whole.
 *
 * Invariant: persist_file_check() uses a value from a file only after it has
 * checked the value: first magic and format, then the size, then the checksum,
 * and then the rest.  A module checks its own
 * part.
 *
 * Locking: none; nothing here is shared.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "port/pg_crc32c.h"

#include "module/persist_file.h"

/* Parts begin where a 64-bit number can be. */
#define PART_ALIGNMENT	sizeof(uint64)

StaticAssertDecl(sizeof(PersistHeader) % PART_ALIGNMENT == 0,
				 "first part is not aligned");
StaticAssertDecl(sizeof(PersistState) == 40, "PersistState has no padding");

/* The size of a file with parts of these sizes. */
uint64
persist_file_size(const uint64 *part_size)
{
	uint64		size = sizeof(PersistHeader) + sizeof(pg_crc32c);

	for (int i = 0; i < PERSIST_PARTS; i++)
		size += part_size[i];
	return size;
}

/* Make the header, in memory of persist_file_size(part_size). */
void
persist_file_start(char *file, const PersistState *state, const uint64 *part_size)
{
	PersistHeader *header = (PersistHeader *) file;

	memset(header, 0, sizeof(PersistHeader));
	header->magic = PERSIST_MAGIC;
	header->format = PERSIST_FORMAT;
	header->nparts = PERSIST_PARTS;
	header->size = persist_file_size(part_size);
	header->state = *state;
	for (int i = 0; i < PERSIST_PARTS; i++)
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

/* Add the checksum, when all parts are there. */
void
persist_file_seal(char *file)
{
	uint64		size = ((PersistHeader *) file)->size;
	pg_crc32c	crc = checksum(file, size);

	memcpy(file + size - sizeof(crc), &crc, sizeof(crc));
}

/* Are there the parts that there should be, and do they fill the file? */
static bool
parts_are_right(const PersistHeader *header)
{
	uint64		left = header->size - sizeof(PersistHeader) - sizeof(pg_crc32c);

	if (header->nparts != PERSIST_PARTS)
		return false;
	for (int i = 0; i < PERSIST_PARTS; i++)
	{
		if (header->part_size[i] > left ||
			header->part_size[i] % PART_ALIGNMENT != 0)
			return false;
		left -= header->part_size[i];
	}
	return left == 0;
}

/* Does the file belong to the data directory as it is now? */
static PersistVerdict
check_state(const PersistState *then, const PersistState *now)
{
	if (then->server != now->server)
		return PERSIST_OTHER_SERVER;
	if (then->system_identifier != now->system_identifier)
		return PERSIST_OTHER_SYSTEM;
	return memcmp(then, now, sizeof(PersistState)) == 0 ?
		PERSIST_GOOD : PERSIST_STALE;
}

/*
 * May these "size" bytes be used, where the data directory is "now"?  They can
 * be anything; "file" is aligned as palloc does.
 */
PersistVerdict
persist_file_check(const char *file, uint64 size, const PersistState *now)
{
	const PersistHeader *header = (const PersistHeader *) file;
	pg_crc32c	crc;

	if (size < offsetof(PersistHeader, nparts))
		return PERSIST_DAMAGED;
	if (header->magic != PERSIST_MAGIC)
		return PERSIST_FOREIGN;
	if (header->format != PERSIST_FORMAT)
		return PERSIST_OTHER_FORMAT;
	if (size < sizeof(PersistHeader) + sizeof(crc) || header->size != size)
		return PERSIST_DAMAGED;
	crc = checksum(file, size);
	if (memcmp(file + size - sizeof(crc), &crc, sizeof(crc)) != 0 ||
		!parts_are_right(header))
		return PERSIST_DAMAGED;
	return check_state(&header->state, now);
}

/* Where a part begins, in a file that was made here or checked. */
char *
persist_file_part(char *file, int part)
{
	const PersistHeader *header = (const PersistHeader *) file;
	char	   *begin = file + sizeof(PersistHeader);

	for (int i = 0; i < part; i++)
		begin += header->part_size[i];
	return begin;
}
