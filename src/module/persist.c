/*-------------------------------------------------------------------------
 *
 * persist.c
 *		Commit statistics across server restarts.
 *
 * When the postmaster ends, save() writes a part of each module that has a
 * "saved_name" into a file.  At the next start it removes the file and hands
 * the parts to the modules.  A stand-alone backend does the same.  While the
 * server runs there is no file, so that old statistics cannot come back after
 * a crash or with a backup.  A file that does not fit, or is damaged
 * (persist_format_refuse()), is removed with a line in the server log.  The
 * history has its own file, which stays, and its own rules: history_file.c.
 *
 * Invariant: statistics are restored only to the cluster state at which they
 * were saved.  The postmaster writes a file only if pg_control says that the
 * server has been shut down; the exit code is 0 after an immediate shutdown,
 * too.  It uses a file only if pg_control still says the same: no server has
 * run since, not even one without the library.
 *
 * A start that fails after the file was read, because a port is in use for
 * example, ends with an exit code other than 0 and pg_control as it was; then
 * the same statistics are written again, and the history stays as it is.
 *
 * Nothing here raises an error, unless pg_control has gone, or a process has
 * left a change under way (changecount.c).  At the start an error would keep
 * the server from starting, and at the end nothing would catch it.  Failures
 * are logged, and the statistics start from zero.
 *
 * Locking: none.  The postmaster has not started other processes yet, or they
 * have ended.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "catalog/pg_control.h"
#include "common/controldata_utils.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "port/pg_crc32c.h"
#include "storage/fd.h"
#include "storage/ipc.h"
#include "utils/memutils.h"

#include "base/compat.h"
#include "base/guc.h"
#include "module/persist_format.h"
#include "module/stats_module.h"

#define PERSIST_FILE		PGSTAT_STAT_PERMANENT_DIRECTORY "/commit_stats.stat"
#define TEMPORARY			".tmp"

static bool restored = false;	/* statistics go on from before the start */
static ControlFileData control_at_start;	/* if "restored" */

/* A loop over the modules that save something */
#define SAVED_MODULES(module) \
	for (const StatsModule *const *at = stats_modules, *module; \
		 (module = *at) != NULL; at++) \
		if (module->saved_name != NULL)

static void
log_file_error(const char *what, const char *path)
{
	ereport(LOG,
			(errcode_for_file_access(),
			 errmsg("could not %s file \"%s\": %m", what, path)));
}

static bool
remove_file(const char *path)
{
	if (unlink(path) == 0 || errno == ENOENT)
		return true;
	log_file_error("remove", path);
	return false;
}

char *
persist_allocate(Size size)
{
	char	   *memory = MemoryContextAllocExtended(TopMemoryContext, size,
													MCXT_ALLOC_NO_OOM | MCXT_ALLOC_ZERO);

	if (memory == NULL)
		ereport(LOG,
				(errcode(ERRCODE_OUT_OF_MEMORY),
				 errmsg("out of memory"),
				 errdetail("Failed on request of size %zu for commit statistics.",
						   size)));
	return memory;
}

/* Replaces a file, flushed, or leaves it. */
bool
persist_write(const char *path, const char *from, Size size)
{
	char		temporary[MAXPGPATH];
	FILE	   *file;
	bool		written;

	snprintf(temporary, sizeof(temporary), "%s" TEMPORARY, path);
	file = AllocateFile(temporary, PG_BINARY_W);
	written = file != NULL && fwrite(from, size, 1, file) == 1;
	/* closed in any case; it leaves the errno of a failed write */
	if ((file != NULL && FreeFile(file) != 0) || !written)
		log_file_error("write", temporary);
	else if (durable_rename(temporary, path, LOG) == 0)
		return true;
	(void) remove_file(temporary);
	return false;
}

/* Null if there is no file, or it cannot be read; at most "max_size" bytes */
char *
persist_read(const char *path, Size max_size, uint64 *size)
{
	int			fd = OpenTransientFile(path, O_RDONLY | PG_BINARY);
	struct stat st;
	ssize_t		n = -1;
	char	   *file = NULL;

	if (fd < 0)
	{
		if (errno != ENOENT)
			log_file_error("open", path);
		return NULL;
	}
	if (fstat(fd, &st) != 0)
		log_file_error("read", path);
	else
	{
		*size = Min(st.st_size, max_size);
		file = persist_allocate(Max(*size, sizeof(PersistHeader)));
	}
	if (file != NULL)
	{
		n = read(fd, file, *size);
		if (n < 0)
		{
			log_file_error("read", path);
			pfree(file);
			file = NULL;
		}
		*size = n;
	}
	CloseTransientFile(fd);
	return file;
}

/* pg_control on disk: whether the server was shut down; false if damaged. */
static bool
read_control_file(ControlFileData *control)
{
	bool		crc_ok;
	ControlFileData *file = get_controlfile(DataDir, &crc_ok);

	memcpy(control, file, sizeof(ControlFileData));
	pfree(file);
	return crc_ok;
}

static bool
was_shut_down(const ControlFileData *control)
{
	return control->state == DB_SHUTDOWNED ||
		control->state == DB_SHUTDOWNED_IN_RECOVERY;
}

static PersistState
state_of(const ControlFileData *control)
{
	PersistState state = {
		.system_identifier = control->system_identifier,
		.checkpoint = control->checkPoint,
		.checkpoint_time = control->checkPointCopy.time,
		.min_recovery = control->minRecoveryPoint,
		.state = control->state,
		.server = SERVER_MAJOR_VERSION
	};

	return state;
}

static Size
saved_size(const StatsModule *module)
{
	if (module->saved_size)
		return module->saved_size(module->saved_object);
	return module->saved_head_size + MaxBackends * module->saved_slot_size;
}

static char *
make_file(const ControlFileData *control, uint64 *size)
{
	PersistState state = state_of(control);
	uint32		nparts = 0;
	char	   *file;
	char	   *end;

	*size = sizeof(PersistHeader) + sizeof(pg_crc32c);
	SAVED_MODULES(module)
		* size += sizeof(PersistPart) + saved_size(module);
	file = persist_allocate(*size);
	if (file == NULL)
		return NULL;
	end = file + sizeof(PersistHeader);
	SAVED_MODULES(module)
	{
		end = persist_format_add(end, module->saved_name, saved_size(module));
		module->save(module->saved_object, end);
		end += saved_size(module);
		nparts++;
	}
	persist_format_seal(file, *size, nparts, &state);
	return file;
}

/* At the exit of the last process.  If anything fails, there is no file. */
static void
save(int code, Datum arg)
{
	ControlFileData control;
	char	   *file;
	uint64		size;

	if (!commit_stats_save ||
		!read_control_file(&control) || !was_shut_down(&control))
		return;
	if (code != 0 &&
		(!restored ||
		 memcmp(&control, &control_at_start, sizeof(ControlFileData)) != 0))
		return;
	file = make_file(&control, &size);
	if (file != NULL && !persist_write(PERSIST_FILE, file, size))
		(void) remove_file(PERSIST_FILE);
	if (code == 0)
		CALL_MODULES(ended, ());
}

/* True if each module can use its part of the file, and no part is left. */
static bool
parts_fit(char *file)
{
	uint32		nparts = 0;

	SAVED_MODULES(module)
	{
		PersistPart *part = persist_format_find(file, module->saved_name);

		if (part == NULL ||
			(module->fits ?
			 !module->fits(module->saved_object, part->size) :
			 part->size != saved_size(module)))
			return false;
		nparts++;
	}
	return nparts == ((PersistHeader *) file)->nparts;
}

/* Returns null if the file may be used, or why not. */
static const char *
refuse_file(char *file, uint64 size)
{
	PersistState now;
	const char *why;

	if (!read_control_file(&control_at_start))
		return PERSIST_STALE;	/* it cannot be compared */
	now = state_of(&control_at_start);
	why = persist_format_refuse(file, size, &now);
	if (why != NULL)
		return why;
	if (!was_shut_down(&control_at_start))
		return PERSIST_STALE;
	return parts_fit(file) ? NULL :
		"Its contents are not what this version of commit_stats reads.";
}

static void
restore(char *file, uint64 size)
{
	const char *why = refuse_file(file, size);

	restored = why == NULL;
	if (!restored)
	{
		ereport(LOG,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("refused file \"%s\"; commit statistics start from zero",
						PERSIST_FILE),
				 errdetail_internal("%s", why)));
		return;
	}
	SAVED_MODULES(module)
	{
		PersistPart *part = persist_format_find(file, module->saved_name);

		module->restore(module->saved_object, part + 1, part->size);
	}
}

/*
 * For the postmaster or a stand-alone backend, when modules are attached.  The
 * file is removed whatever is in it, and used only if that worked.
 */
void
persist_start(void)
{
	char	   *file = NULL;
	uint64		size = 0;

	restored = false;
	on_shmem_exit(save, (Datum) 0);
	if (commit_stats_save)
		file = persist_read(PERSIST_FILE, PERSIST_MAX_SIZE, &size);

	/* left behind by an end in the middle of writing it */
	(void) remove_file(PERSIST_FILE TEMPORARY);
	if (remove_file(PERSIST_FILE) && file != NULL)
		restore(file, size);
	if (file != NULL)
		pfree(file);
	CALL_MODULES(started, ());
}
