/*-------------------------------------------------------------------------
 *
 * persist_format.c
 *		The format of the files of persist.c and history_file.c.
 *
 * A file is made and read in memory as a whole:
 *
 *	PersistHeader	magic, format, size; the data directory that it belongs to
 *	PersistPart		name and size of what a module has saved, and that; one
 *					after another, "nparts" in all
 *	CRC-32C			of all that
 *
 * Invariant: persist_format_refuse() checks magic and format, then the size,
 * then the checksum.  A file that passes is one that persist_format_seal()
 * made, so what stands in its parts is right, for the settings of then.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "port/pg_crc32c.h"

#include "module/persist_format.h"

/* Parts begin where a 64-bit number can be. */
#define PART_ALIGNMENT	sizeof(uint64)

StaticAssertDecl(sizeof(PersistHeader) % PART_ALIGNMENT == 0 &&
				 sizeof(PersistPart) % PART_ALIGNMENT == 0,
				 "a part is not aligned");
StaticAssertDecl(sizeof(PersistState) == 40, "PersistState has no padding");

/* Add a part at the end of the file so far, and return where its data go. */
char *
persist_format_add(char *end, const char *name, uint64 size)
{
	PersistPart *part = (PersistPart *) end;

	Assert(size % PART_ALIGNMENT == 0 && strlen(name) < sizeof(part->name));
	strlcpy(part->name, name, sizeof(part->name));
	part->size = size;
	return (char *) (part + 1);
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

/* Add header and checksum, when all parts are there; "size" includes both. */
void
persist_format_seal(char *file, uint64 size, uint32 nparts,
					const PersistState *state)
{
	PersistHeader header = {
		.magic = PERSIST_MAGIC,
		.format = PERSIST_FORMAT,
		.nparts = nparts,
		.size = size,
		.state = *state
	};
	pg_crc32c	crc;

	memcpy(file, &header, sizeof(header));
	crc = checksum(file, size);
	memcpy(file + size - sizeof(crc), &crc, sizeof(crc));
}

/*
 * Returns null if these "size" bytes may be used, where the data directory is
 * "now", or why not.  They can be anything; "file" is aligned as palloc does.
 */
const char *
persist_format_refuse(const char *file, uint64 size, const PersistState *now)
{
	const PersistHeader *header = (const PersistHeader *) file;
	const PersistState *then = &header->state;
	const char *const damaged = "It is damaged.";
	pg_crc32c	crc;

	if (size < offsetof(PersistHeader, nparts))
		return damaged;
	if (header->magic != PERSIST_MAGIC)
		return "It is not a file of commit_stats.";
	if (header->format != PERSIST_FORMAT)
		return psprintf("Its format is %u, which is not format %u that this version of commit_stats reads.",
						header->format, PERSIST_FORMAT);
	if (size < sizeof(PersistHeader) + sizeof(crc) || header->size != size)
		return damaged;
	crc = checksum(file, size);
	if (memcmp(file + size - sizeof(crc), &crc, sizeof(crc)) != 0)
		return damaged;
	if (then->server != now->server)
		return psprintf("It was written by PostgreSQL %u, and this is PostgreSQL %u.",
						then->server, now->server);
	if (then->system_identifier != now->system_identifier)
		return "It belongs to another database cluster.";
	if (memcmp(then, now, sizeof(PersistState)) != 0)
		return PERSIST_STALE;
	return NULL;
}

/* The part with a name, in a file that was not refused; null if none has. */
PersistPart *
persist_format_find(char *file, const char *name)
{
	uint32		nparts = ((PersistHeader *) file)->nparts;
	PersistPart *part = (PersistPart *) (file + sizeof(PersistHeader));

	for (; nparts > 0; nparts--)
	{
		if (strcmp(part->name, name) == 0)
			return part;
		part = (PersistPart *) ((char *) (part + 1) + part->size);
	}
	return NULL;
}
