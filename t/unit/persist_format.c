/*-------------------------------------------------------------------------
 *
 * persist_format.c
 *		The checks of src/module/persist_format.c as SQL functions, for
 *		t/unit/persist_format.pl.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <sys/mman.h>
#include <unistd.h>

#include "access/htup_details.h"	/* for varatt.h, which 15 does not have */
#include "fmgr.h"
#include "port/pg_crc32c.h"
#include "utils/builtins.h"

#include "module/persist_format.h"

PG_MODULE_MAGIC;

PG_FUNCTION_INFO_V1(persist_check);
PG_FUNCTION_INFO_V1(persist_seal);

/*
 * A copy that ends where the process has no more memory, or up to 7 bytes
 * before, as it begins aligned.
 */
static char *
copy_to_the_edge(const char *from, Size size, void **mapped, Size *length)
{
	Size		page = sysconf(_SC_PAGESIZE);
	Size		room = TYPEALIGN(page, size + sizeof(uint64));
	char	   *map;
	char	   *copy;

	*length = room + page;
	map = mmap(NULL, *length, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (map == MAP_FAILED || mprotect(map + room, page, PROT_NONE) != 0)
		elog(ERROR, "mmap failed: %m");
	*mapped = map;
	copy = map + room - TYPEALIGN(sizeof(uint64), size);
	memcpy(copy, from, size);
	return copy;
}

/*
 * "good", or why a file is refused, for a data directory as in the header of
 * another.
 */
Datum
persist_check(PG_FUNCTION_ARGS)
{
	bytea	   *file = PG_GETARG_BYTEA_PP(0);
	bytea	   *original = PG_GETARG_BYTEA_PP(1);
	PersistHeader header;
	const char *why;
	void	   *mapped;
	Size		length;
	char	   *copy;

	memcpy(&header, VARDATA_ANY(original), sizeof(header));
	copy = copy_to_the_edge(VARDATA_ANY(file), VARSIZE_ANY_EXHDR(file),
							&mapped, &length);
	why = persist_format_refuse(copy, VARSIZE_ANY_EXHDR(file), &header.state);
	munmap(mapped, length);
	PG_RETURN_TEXT_P(cstring_to_text(why == NULL ? "good" : why));
}

/* The file with the right checksum at its end, whatever its header says. */
Datum
persist_seal(PG_FUNCTION_ARGS)
{
	bytea	   *file = PG_GETARG_BYTEA_P_COPY(0);
	Size		size = VARSIZE_ANY_EXHDR(file);
	pg_crc32c	crc;

	if (size >= sizeof(crc))
	{
		size -= sizeof(crc);
		INIT_CRC32C(crc);
		COMP_CRC32C(crc, VARDATA_ANY(file), size);
		FIN_CRC32C(crc);
		memcpy(VARDATA_ANY(file) + size, &crc, sizeof(crc));
	}
	PG_RETURN_BYTEA_P(file);
}
