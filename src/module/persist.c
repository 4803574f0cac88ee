/*-------------------------------------------------------------------------
 *
 * persist.c
 *		Commit statistics across server restarts.
 *
 * The postmaster, as it ends, writes what the modules save into a file.  At
 * the next start it hands that to the modules and removes the file.  A
 * stand-alone backend does the same.  While the server runs there is no file,
 * so that old statistics cannot come back after a crash or with a backup.
 *
 * Invariant: statistics are restored only to the cluster state at which they
 * were saved.  A file is written only when pg_control says that the server
 * has been shut down; an exit code of 0 does not, as an immediate shutdown has
 * it as well.  A file is read only when pg_control still says the same: no
 * server has run since, not even one without the library.
 *
 * A start that fails after the file was read, because a port is in use for
 * example, ends with an exit code other than 0 and pg_control as it was; then
 * the same statistics are written again.
 *
 * Nothing here raises an error.  At the start an error would keep the server
 * from starting, and at the end nothing would catch it.  Failures are logged,
 * and the statistics start from zero.
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

#include "access/xlog_internal.h"
#include "catalog/pg_control.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "port/pg_crc32c.h"
#include "storage/fd.h"
#include "storage/ipc.h"
#include "utils/memutils.h"

#include "base/compat.h"
#include "base/guc.h"
#include "module/persist.h"
#include "module/persist_file.h"
#include "stats/backend_slots.h"
#include "stats/clients.h"
#include "stats/flush_totals.h"
#include "stats/latency.h"
#include "stats/wal_cycles.h"

#define PERSIST_FILE		PGSTAT_STAT_PERMANENT_DIRECTORY "/commit_stats.stat"
#define PERSIST_TMPFILE		PERSIST_FILE ".tmp"

/* In the order of the file. */
static const StatsModule *const modules[PERSIST_PARTS] = {
	&backend_slots_module,
	&clients_module,
	&flush_totals_module,
	&latency_module,
	&wal_cycles_module,
};

static bool restored = false;	/* statistics go on from before the start */
static ControlFileData control_at_start;	/* if "restored" */

static void
log_file_error(const char *what, const char *path)
{
	ereport(LOG,
			(errcode_for_file_access(),
			 errmsg("could not %s file \"%s\": %m", what, path)));
}

/* errno is that of the first thing that went wrong. */
static bool
write_file(const char *path, const char *from, Size size)
{
	int			fd = OpenTransientFile(path, O_WRONLY | O_CREAT | O_TRUNC | PG_BINARY);
	bool		written;
	int			save_errno;

	if (fd < 0)
		return false;
	errno = 0;
	written = write(fd, from, size) == size;
	/* if write didn't set errno, assume problem is no disk space */
	save_errno = errno ? errno : ENOSPC;
	if (CloseTransientFile(fd) != 0 && written)
		return false;
	errno = save_errno;
	return written;
}

/* Remove a file, if there is one. */
static bool
remove_file(const char *path)
{
	if (unlink(path) == 0 || errno == ENOENT)
		return true;
	log_file_error("remove", path);
	return false;
}

static char *
allocate(Size size)
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

/*
 * Read an open file, of which no more than PERSIST_MAX_SIZE can be of use.
 * Returns null, having logged it, if that is not possible.
 */
static char *
read_opened(int fd, uint64 *size)
{
	struct stat st;
	ssize_t		n = -1;
	char	   *file = NULL;

	if (fstat(fd, &st) == 0)
	{
		Size		wanted = Min(st.st_size, PERSIST_MAX_SIZE);

		file = allocate(Max(wanted, sizeof(PersistHeader)));
		if (file == NULL)
			return NULL;
		n = read(fd, file, wanted);
	}
	if (n < 0)
	{
		log_file_error("read", PERSIST_FILE);
		if (file != NULL)
			pfree(file);
		return NULL;
	}
	*size = n;
	return file;
}

/*
 * pg_control as it is on disk, where the server says whether it was shut down.
 * get_controlfile() would raise an error.
 */
static bool
read_control_file(ControlFileData *control)
{
	int			fd = OpenTransientFile(XLOG_CONTROL_FILE, O_RDONLY | PG_BINARY);
	pg_crc32c	crc;
	ssize_t		n;

	if (fd < 0)
	{
		log_file_error("open", XLOG_CONTROL_FILE);
		return false;
	}
	n = read(fd, control, sizeof(ControlFileData));
	if (n < 0)
		log_file_error("read", XLOG_CONTROL_FILE);
	CloseTransientFile(fd);
	if (n != sizeof(ControlFileData))
		return false;

	INIT_CRC32C(crc);
	COMP_CRC32C(crc, control, offsetof(ControlFileData, crc));
	FIN_CRC32C(crc);
	return EQ_CRC32C(crc, control->crc);
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
		return module->saved_size();
	return module->saved_head_size + MaxBackends * module->saved_slot_size;
}

/* Make the file in memory, or return null. */
static char *
make_file(const ControlFileData *control, uint64 *size)
{
	PersistState state = state_of(control);
	uint64		part_size[PERSIST_PARTS];
	char	   *file;

	for (int i = 0; i < PERSIST_PARTS; i++)
		part_size[i] = saved_size(modules[i]);
	*size = persist_file_size(part_size);
	file = allocate(*size);
	if (file == NULL)
		return NULL;
	persist_file_start(file, &state, part_size);
	for (int i = 0; i < PERSIST_PARTS; i++)
	{
		if (modules[i]->save(persist_file_part(file, i)))
			continue;
		ereport(LOG,
				(errmsg("could not save commit statistics"),
				 errdetail("A server process has been stopped while it was counting a commit.")));
		return NULL;
	}
	persist_file_seal(file);
	return file;
}

/* All or nothing: if anything fails, there is no file. */
static void
put_file(const char *file, uint64 size)
{
	if (!write_file(PERSIST_TMPFILE, file, size))
	{
		log_file_error("write", PERSIST_TMPFILE);
		(void) remove_file(PERSIST_TMPFILE);
	}
	else if (durable_rename(PERSIST_TMPFILE, PERSIST_FILE, LOG) != 0)
	{
		(void) remove_file(PERSIST_TMPFILE);
		(void) remove_file(PERSIST_FILE);
	}
}

/* Can statistics go on after this end of the server? */
static bool
may_save(int code, const ControlFileData *control)
{
	if (!was_shut_down(control))
		return false;
	return code == 0 ||
		(restored &&
		 memcmp(control, &control_at_start, sizeof(ControlFileData)) == 0);
}

/* An on_shmem_exit callback: the last process is about to end. */
static void
save(int code, Datum arg)
{
	ControlFileData control;
	char	   *file;
	uint64		size;

	if (!commit_stats_save ||
		!read_control_file(&control) || !may_save(code, &control))
		return;
	file = make_file(&control, &size);
	if (file != NULL)
		put_file(file, size);
}

/* Why a file is refused. */
static char *
verdict_detail(PersistVerdict verdict, const PersistHeader *header)
{
	switch (verdict)
	{
		case PERSIST_FOREIGN:
			return "It is not a file of commit_stats.";
		case PERSIST_OTHER_FORMAT:
			return psprintf("Its format is %u, which is not format %u that this version of commit_stats reads.",
							header->format, PERSIST_FORMAT);
		case PERSIST_OTHER_SERVER:
			return psprintf("It was written by PostgreSQL %u, and this is PostgreSQL %u.",
							header->state.server, SERVER_MAJOR_VERSION);
		case PERSIST_OTHER_SYSTEM:
			return "It belongs to another database cluster.";
		case PERSIST_STALE:
			return "The data directory is not in the state in which it was when the file was written.";
		case PERSIST_UNFIT:
			return "Its contents are not what this version of commit_stats reads.";
		default:
			return "It is damaged.";
	}
}

/* Can each module use its part of a file that was found to be good? */
static bool
parts_fit(char *file)
{
	const PersistHeader *header = (const PersistHeader *) file;

	for (int i = 0; i < PERSIST_PARTS; i++)
	{
		Size		size = header->part_size[i];

		if (modules[i]->fits ?
			!modules[i]->fits(persist_file_part(file, i), size) :
			size != saved_size(modules[i]))
			return false;
	}
	return true;
}

static PersistVerdict
check_file(char *file, uint64 size)
{
	PersistVerdict verdict;
	PersistState now;

	if (!read_control_file(&control_at_start))
		return PERSIST_STALE;	/* it cannot be compared */
	now = state_of(&control_at_start);
	verdict = persist_file_check(file, size, &now);
	if (verdict != PERSIST_GOOD)
		return verdict;
	if (!was_shut_down(&control_at_start))
		return PERSIST_STALE;
	return parts_fit(file) ? PERSIST_GOOD : PERSIST_UNFIT;
}

static void
restore(char *file, uint64 size)
{
	const PersistHeader *header = (const PersistHeader *) file;
	PersistVerdict verdict = check_file(file, size);

	if (verdict != PERSIST_GOOD)
	{
		ereport(LOG,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("refused file \"%s\"; commit statistics start from zero",
						PERSIST_FILE),
				 errdetail_internal("%s", verdict_detail(verdict, header))));
		return;
	}
	for (int i = 0; i < PERSIST_PARTS; i++)
		modules[i]->restore(persist_file_part(file, i),
							header->part_size[i]);
	restored = true;
}

/* The file is removed whatever is in it, and used only if that worked. */
static void
load(void)
{
	int			fd = OpenTransientFile(PERSIST_FILE, O_RDONLY | PG_BINARY);
	bool		missing = fd < 0 && errno == ENOENT;
	char	   *file = NULL;
	uint64		size = 0;

	if (fd >= 0)
	{
		if (commit_stats_save)
			file = read_opened(fd, &size);
		CloseTransientFile(fd);
	}
	else if (!missing)
		log_file_error("open", PERSIST_FILE);

	/* left behind by an end in the middle of writing it */
	(void) remove_file(PERSIST_TMPFILE);
	if (!missing && remove_file(PERSIST_FILE) && file != NULL)
		restore(file, size);
	if (file != NULL)
		pfree(file);
}

/* For the postmaster or a stand-alone backend, when modules are attached. */
void
persist_start(void)
{
	restored = false;
	on_shmem_exit(save, (Datum) 0);
	load();
}
