/*-------------------------------------------------------------------------
 *
 * persist.c
 *		Statistics over a restart.
 *
 * The postmaster, as it ends, writes what the modules want to save into a file,
 * and when it starts the next time it hands that to them and removes the file.
 * A stand-alone backend does the same.  While the server runs there is no file,
 * so that none can come to life again after a crash, or be in a backup.
 *
 * Invariant: statistics go on only with the data that they are about, and
 * without a gap.  So a file is written only when pg_control says that the
 * server has been shut down, which an exit code of 0 does not: an immediate
 * shutdown has that as well.  And it is read only when pg_control still says
 * the same: no server has run since, not even one without the library.
 *
 * A start that fails after the file was read, because a port is in use for
 * example, ends with an exit code other than 0 and pg_control as it was; then
 * the same statistics are written again.
 *
 * Nothing here raises an error.  At the start it would keep the server from
 * starting, and at the end there is nobody to catch it.  Whatever goes wrong is
 * logged, and the statistics start from zero.
 *
 * Locking: none.  No other process is there, before the first one was started
 * and after the last one has ended.
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
#include "stats/backend_slots.h"
#include "stats/databases.h"
#include "stats/flush_totals.h"
#include "stats/latency.h"
#include "stats/persist.h"
#include "stats/persist_file.h"
#include "stats/wal_cycles.h"

#define PERSIST_FILE		PGSTAT_STAT_PERMANENT_DIRECTORY "/commit_stats.stat"
#define PERSIST_TMPFILE	PERSIST_FILE ".tmp"

/*
 * What a module has to say.  "save" fills as many zeroed bytes as "saved_size"
 * says, or returns false if a process was stopped while it counted; "fits" is
 * asked whether "restore" can do with what stands in a file, all of which may
 * be nonsense but for the size of a module that has no "fits": that is
 * "saved_size".
 */
typedef struct PersistModule
{
	Size		(*saved_size) (void);
	bool		(*save) (void *to);
	bool		(*fits) (const void *from, Size size);
	void		(*restore) (const void *from, Size size);
} PersistModule;

/* In the order of the file. */
static const PersistModule modules[] = {
	{backend_slots_saved_size, backend_slots_save, NULL,
	backend_slots_restore},
	{databases_saved_size, databases_save, databases_saved_fits,
	databases_restore},
	{flush_totals_saved_size, flush_totals_save, flush_totals_saved_fits,
	flush_totals_restore},
	{latency_saved_size, latency_save, NULL,
	latency_restore},
	{wal_cycles_saved_size, wal_cycles_save, wal_cycles_saved_fits,
	wal_cycles_restore},
};

StaticAssertDecl(lengthof(modules) == PERSIST_PARTS, "a part for each module");

static shmem_startup_hook_type prev_shmem_startup_hook = NULL;

static bool restored = false;	/* there are statistics of before the start */
static ControlFileData control_at_start;	/* if "restored" */

/*----------------------------------------------------------------
 * Files
 *----------------------------------------------------------------
 */

static void
log_file_error(const char *what, const char *path)
{
	ereport(LOG,
			(errcode_for_file_access(),
			 errmsg("could not %s file \"%s\": %m", what, path)));
}

/* Returns what has been read, which is less than "size" at the end of file. */
static ssize_t
read_fully(int fd, char *to, Size size)
{
	Size		done = 0;

	while (done < size)
	{
		ssize_t		n = read(fd, to + done, size - done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -1;
		if (n == 0)
			break;
		done += n;
	}
	return done;
}

static bool
write_fully(int fd, const char *from, Size size)
{
	Size		done = 0;

	while (done < size)
	{
		ssize_t		n;

		errno = 0;
		n = write(fd, from + done, size - done);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
		{
			if (errno == 0)
				errno = ENOSPC; /* what else */
			return false;
		}
		done += n;
	}
	return true;
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
	written = write_fully(fd, from, size);
	save_errno = errno;
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
				 errdetail("Failed on request of size %zu for the statistics of commits.",
						   size)));
	return memory;
}

/*
 * All of an open file, but no more than could be of use; "size" is how much
 * that is.  Null if it cannot be read, which is logged.
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
		n = read_fully(fd, file, wanted);
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
	n = read_fully(fd, (char *) control, sizeof(ControlFileData));
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
	PersistState	state = {
		.system_identifier = control->system_identifier,
		.checkpoint = control->checkPoint,
		.checkpoint_time = control->checkPointCopy.time,
		.min_recovery = control->minRecoveryPoint,
		.state = control->state,
		.server = SERVER_MAJOR_VERSION
	};

	return state;
}

/*----------------------------------------------------------------
 * The end
 *----------------------------------------------------------------
 */

/* Make the file in memory, or return null. */
static char *
make_file(const PersistState *state, uint64 *size)
{
	uint64		part_size[PERSIST_PARTS];
	char	   *file;

	for (int i = 0; i < PERSIST_PARTS; i++)
		part_size[i] = modules[i].saved_size();
	*size = persist_file_size(part_size);
	file = allocate(*size);
	if (file == NULL)
		return NULL;
	persist_file_start(file, state, part_size);
	for (int i = 0; i < PERSIST_PARTS; i++)
	{
		if (!modules[i].save(persist_file_part(file, i)))
		{
			ereport(LOG,
					(errmsg("the statistics of commits are not saved"),
					 errdetail("A server process has been stopped while it was counting a commit.")));
			pfree(file);
			return NULL;
		}
	}
	persist_file_seal(file);
	return file;
}

/* All or nothing: there is no file, or it is there for good. */
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

/* Did the server come to an end with which statistics can go on? */
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
	PersistState	state;
	char	   *file;
	uint64		size;

	if (!commit_stats_save ||
		!read_control_file(&control) || !may_save(code, &control))
		return;
	state = state_of(&control);
	file = make_file(&state, &size);
	if (file == NULL)
		return;
	put_file(file, size);
	pfree(file);
}

/*----------------------------------------------------------------
 * The start
 *----------------------------------------------------------------
 */

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

static void
log_refusal(PersistVerdict verdict, const char *file)
{
	char	   *detail = verdict_detail(verdict, (const PersistHeader *) file);

	ereport(LOG,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("refused the statistics of commits in file \"%s\", which start from zero",
					PERSIST_FILE),
			 errdetail_internal("%s", detail)));
}

/* Can each module use its part of a file that was found to be good? */
static bool
parts_fit(char *file)
{
	const PersistHeader *header = (const PersistHeader *) file;

	for (int i = 0; i < PERSIST_PARTS; i++)
	{
		Size		size = header->part_size[i];

		if (modules[i].fits == NULL ? size != modules[i].saved_size() :
			!modules[i].fits(persist_file_part(file, i), size))
			return false;
	}
	return true;
}

static PersistVerdict
check_file(char *file, uint64 size)
{
	PersistVerdict verdict;
	PersistState	now;

	if (!read_control_file(&control_at_start))
		return PERSIST_STALE;		/* or so, as nobody can know */
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
	PersistVerdict verdict = check_file(file, size);

	if (verdict != PERSIST_GOOD)
	{
		log_refusal(verdict, file);
		return;
	}
	for (int i = 0; i < PERSIST_PARTS; i++)
		modules[i].restore(persist_file_part(file, i),
						 ((const PersistHeader *) file)->part_size[i]);
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

static void
persist_startup(void)
{
	if (prev_shmem_startup_hook)
		prev_shmem_startup_hook();

	if (IsUnderPostmaster)
		return;
	restored = false;
	on_shmem_exit(save, (Datum) 0);
	load();
}

/* For _PG_init, when the hooks of shared_memory.c are installed. */
void
persist_install_hooks(void)
{
	prev_shmem_startup_hook = shmem_startup_hook;
	shmem_startup_hook = persist_startup;
}
