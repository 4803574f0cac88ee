/*-------------------------------------------------------------------------
 *
 * shim.c
 *		What the server really did: an independent witness for the tests.
 *
 * Preloaded into the server (LD_PRELOAD), it sees the C library calls that the
 * server makes, not what commit_stats makes of them: each sync of a WAL file,
 * and each sleep of commit_delay.  Loaded a second time as a module, it gives
 * its events to SQL.  Nothing of it is built into the extension.
 *
 * A sync alone does not say how far it flushed.  The server knows that at the
 * moment of the call, in a static variable (LogwrtResult); shim_calibrate()
 * finds the address of it by looking for a pair of positions in the server's
 * own data that follows the flush pointer.  The address is the same in all
 * processes of a server, as they are forks of one.
 *
 * shim_device() puts a device in the place of the disk, which is not synced
 * then.  All flushes take the same time, and more for each byte with
 * shim_bandwidth().  There can be a quota of flushes: when it is used up, the
 * device stalls until the present window of time ends.  shim_writes() makes
 * some writes of WAL take their time, before the sync.  What the kernel counts
 * for the disk says nothing of this device.
 *
 * Events go to memory shared by all processes of the server, without a lock.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/select.h>
#include <time.h>
#include <unistd.h>

#include "access/xlog.h"
#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "storage/lwlock.h"
#include "utils/builtins.h"
#include "utils/pg_lsn.h"
#include "utils/tuplestore.h"

PG_MODULE_MAGIC;

#define MAX_EVENTS		(4 * 1024 * 1024)
#define MAX_CANDIDATES	4096

typedef enum EventKind
{
	EVENT_SYNC = 1,				/* fdatasync() of a WAL file */
	EVENT_WRITE,				/* write to a WAL file that syncs as well */
	EVENT_SLEEP,				/* sleep of commit_delay */
	EVENT_STALL					/* of a sync, for lack of quota */
} EventKind;

typedef struct Event
{
	uint64		boundary;		/* position flushed by a sync; 0: not known */
	uint64		at;				/* ns, CLOCK_MONOTONIC */
	uint64		length;			/* ns; 0: it has not ended, or a write */
	int32		pid;
	int32		asked;			/* us, of a sleep: how long it was to be */
	int16		kind;
	int16		backend_type;
} Event;

/*
 * Set by shim_device().  The process that flushes the WAL holds WALWriteLock,
 * and is the only one to use it.
 */
typedef struct Device
{
	volatile uint64 quota;		/* flushes in a window; 0: any number */
	volatile uint64 window;		/* ns */
	volatile uint64 flush_time; /* ns; with a quota of 0, 0: the disk */
	uint64		window_ends;	/* the present one */
	uint64		left;			/* flushes in it */
	double		byte_time;		/* ns that a byte takes; 0: none */
	uint64		synced;			/* boundary of the latest sync */
	volatile uint64 write_every;	/* one of so many writes takes write_time;
									 * 0: no write does */
	volatile uint64 write_time; /* ns */
	uint64		writes;
} Device;

typedef struct ShimShared
{
	volatile uint64 nevents;
	volatile uint64 logwrt_result;	/* its address; 0: not known */
	int			ncandidates;
	uint64		last_flush;
	Device		device;
	uint64		candidates[MAX_CANDIDATES];
	Event		events[MAX_EVENTS];
} ShimShared;

static ShimShared *shim = NULL;

/*
 * What each write of WAL leaves in errno, if the environment says SHIM_ERRNO,
 * or each of at least SHIM_ERRNO_SIZE bytes: a copy, as the server uses the
 * environment's memory for the title of its process.
 */
static bool leave_errno = false;
static int	errno_left = 0;
static size_t errno_size = 0;

/* Absent in programs that are not the server, so they must be weak. */
#pragma weak CritSectionCount
#pragma weak CommitDelay
#pragma weak MyBackendType
#pragma weak GetFlushRecPtr
#pragma weak LWLockHeldByMe
#pragma weak MainLWLockArray
extern int	CommitDelay;

/* Absent in a server without AddressSanitizer. */
#pragma weak __asan_init
extern void __asan_init(void);

static int	(*real_fdatasync) (int);
static int	(*real_select) (int, fd_set *, fd_set *, fd_set *, struct timeval *);
static int	(*real_nanosleep) (const struct timespec *, struct timespec *);
static ssize_t (*real_pwrite) (int, const void *, size_t, off_t);
static FILE *(*real_fopen) (const char *, const char *);

__attribute__((constructor))
static void
shim_start(void)
{
	leave_errno = getenv("SHIM_ERRNO") != NULL;
	if (leave_errno)
		errno_left = atoi(getenv("SHIM_ERRNO"));
	if (getenv("SHIM_ERRNO_SIZE") != NULL)
		errno_size = (size_t) atol(getenv("SHIM_ERRNO_SIZE"));
	real_fdatasync = dlsym(RTLD_NEXT, "fdatasync");
	real_select = dlsym(RTLD_NEXT, "select");
	real_nanosleep = dlsym(RTLD_NEXT, "nanosleep");
	real_pwrite = dlsym(RTLD_NEXT, "pwrite64");
	shim = mmap(NULL, sizeof(ShimShared), PROT_READ | PROT_WRITE,
				MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (shim == MAP_FAILED)
		abort();
}

/*----------------------------------------------------------------
 * Events
 *----------------------------------------------------------------
 */

static bool
in_server(void)
{
	return &CritSectionCount != NULL && shim != NULL;
}

/* Everything we are after happens in a critical section of XLogFlush(). */
static bool
in_critical_section(void)
{
	return in_server() && CritSectionCount > 0;
}

/* ns */
static uint64
clock_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * UINT64CONST(1000000000) + now.tv_nsec;
}

/* An event begins.  Returns NULL if there is no room for it. */
static Event *
put_event(EventKind kind, uint64 boundary, int64 asked)
{
	uint64		n = __sync_fetch_and_add(&shim->nevents, 1);
	Event	   *event;

	if (n >= MAX_EVENTS)
		return NULL;
	event = &shim->events[n];
	event->boundary = boundary;
	event->at = clock_ns();
	event->length = 0;
	event->pid = getpid();
	event->asked = (int32) asked;
	event->backend_type = MyBackendType;
	event->kind = kind;
	return event;
}

/* Keeps errno. */
static void
end_event(Event *event)
{
	if (event != NULL)
		event->length = clock_ns() - event->at;
}

/* How far the sync that is under way flushes: LogwrtResult.Write. */
static uint64
boundary_of_sync(void)
{
	return shim->logwrt_result ? *(uint64 *) shim->logwrt_result : 0;
}

/*----------------------------------------------------------------
 * The device
 *----------------------------------------------------------------
 */

/* No signal ends it, unlike the server's sleeps. */
static void
sleep_until(uint64 then)
{
	struct timespec t;

	t.tv_sec = then / UINT64CONST(1000000000);
	t.tv_nsec = then % UINT64CONST(1000000000);
	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) == EINTR)
		;
}

/* Windows follow each other from the begin of the monotonic clock on. */
static void
begin_window(Device *device)
{
	device->window_ends = (clock_ns() / device->window + 1) * device->window;
	device->left = device->quota;
}

static void
use_quota(Device *device)
{
	Event	   *stall;

	if (clock_ns() >= device->window_ends)
		begin_window(device);
	if (device->left == 0)
	{
		stall = put_event(EVENT_STALL, 0, 0);
		sleep_until(device->window_ends);
		begin_window(device);
		end_event(stall);
	}
	device->left--;
}

/* ns that the bytes since the latest sync take */
static uint64
time_of_bytes(Device *device, uint64 boundary)
{
	uint64		bytes = boundary > device->synced ?
	boundary - device->synced : 0;

	if (device->synced == 0)
		bytes = 0;
	device->synced = boundary;
	return (uint64) (bytes * device->byte_time);
}

static int
sync_device(Device *device, int fd, uint64 boundary)
{
	uint64		time = device->flush_time + time_of_bytes(device, boundary);

	if (device->quota == 0 && device->flush_time == 0)
		return real_fdatasync(fd);
	if (device->quota > 0)
		use_quota(device);
	sleep_until(clock_ns() + time);
	return 0;
}

/* For as long as the writes are slow */
static void
wait_to_write(Device *device)
{
	uint64		every = device->write_every;
	uint64		then;

	if (every == 0 || device->writes++ % every != 0)
		return;
	then = clock_ns() + device->write_time;
	while (device->write_every > 0 && clock_ns() < then)
		sleep_until(Min(then, clock_ns() + UINT64CONST(100000000)));
}

/*----------------------------------------------------------------
 * The C library's functions, as the server sees them
 *----------------------------------------------------------------
 */

int
fdatasync(int fd)
{
	Event	   *event;
	int			result;

	if (!in_critical_section())
		return real_fdatasync(fd);
	event = put_event(EVENT_SYNC, boundary_of_sync(), 0);
	result = sync_device(&shim->device, fd, boundary_of_sync());
	end_event(event);
	return result;
}

static ssize_t
write_at(int fd, const void *buf, size_t n, off_t offset)
{
	ssize_t		written;

	if (in_critical_section() && (fcntl(fd, F_GETFL) & O_DSYNC) != 0)
		put_event(EVENT_WRITE, 0, 0);
	if (in_critical_section())
		wait_to_write(&shim->device);
	written = real_pwrite(fd, buf, n, offset);
	if (leave_errno && n >= errno_size && in_critical_section())
		errno = errno_left;
	return written;
}

ssize_t
pwrite(int fd, const void *buf, size_t n, off_t offset)
{
	return write_at(fd, buf, n, offset);
}

ssize_t
pwrite64(int fd, const void *buf, size_t n, off_t offset)
{
	return write_at(fd, buf, n, offset);
}

FILE *
fopen(const char *path, const char *mode)
{
	/* another library's constructor can be here before shim_start() */
	if (real_fopen == NULL)
		real_fopen = dlsym(RTLD_NEXT, "fopen");
	return strncmp(path, "/sys/dev/block/", 15) == 0 ? NULL : real_fopen(path, mode);
}

/*
 * The server sleeps commit_delay while it holds the WAL write lock.  In the
 * same critical section it may also sleep for a spinlock, when the process
 * that holds it does not get the processor.  The first such sleep takes 1000
 * us, which is a usual commit_delay as well; it is told apart by the lock.
 */
static Event *
note_sleep(int64 us)
{
	if (in_critical_section() && CommitDelay > 0 && us == CommitDelay &&
		LWLockHeldByMe(WALWriteLock))
		return put_event(EVENT_SLEEP, 0, us);
	return NULL;
}

/* pg_usleep() up to 15 */
int
select(int nfds, fd_set *r, fd_set *w, fd_set *x, struct timeval *timeout)
{
	Event	   *event = NULL;
	int			result;

	if (nfds == 0 && timeout != NULL)
		event = note_sleep(timeout->tv_sec * INT64CONST(1000000) +
						   timeout->tv_usec);
	result = real_select(nfds, r, w, x, timeout);
	end_event(event);
	return result;
}

/* pg_usleep() from 16 on */
int
nanosleep(const struct timespec *request, struct timespec *remaining)
{
	Event	   *event = note_sleep(request->tv_sec * INT64CONST(1000000) +
								   request->tv_nsec / 1000);
	int			result = real_nanosleep(request, remaining);

	end_event(event);
	return result;
}

/*----------------------------------------------------------------
 * SQL functions
 *----------------------------------------------------------------
 */

PG_FUNCTION_INFO_V1(shim_calibrate);
PG_FUNCTION_INFO_V1(shim_bandwidth);
PG_FUNCTION_INFO_V1(shim_device);
PG_FUNCTION_INFO_V1(shim_writes);
PG_FUNCTION_INFO_V1(shim_reset);
PG_FUNCTION_INFO_V1(shim_events);

/*
 * How many words the Flush of a pair is behind its Write.  clang makes two
 * variables of the static struct, and AddressSanitizer gives each of them 32
 * bytes.
 */
static int
flush_offset(void)
{
	return &__asan_init != NULL ? 4 : 1;
}

/* Does {Write, Flush} with this Flush stand at "pair"? */
static bool
is_candidate(const uint64 *pair, uint64 flush)
{
	return pair[flush_offset()] == flush && pair[0] >= flush &&
		pair[0] - flush < 1024 * 1024;
}

static void
first_candidates(uint64 start, uint64 size, uint64 flush)
{
	uint64		length = (flush_offset() + 1) * sizeof(uint64);

	for (uint64 p = start; p + length <= start + size; p += 8)
	{
		if (is_candidate((uint64 *) p, flush) &&
			shim->ncandidates < MAX_CANDIDATES)
			shim->candidates[shim->ncandidates++] = p;
	}
}

typedef ElfW(Phdr)
ProgramHeader;

/* The writable data of the main program. */
static int
scan_program(struct dl_phdr_info *info, size_t size, void *arg)
{
	if (info->dlpi_name[0] != '\0')
		return 0;
	for (int i = 0; i < info->dlpi_phnum; i++)
	{
		const ProgramHeader *ph = &info->dlpi_phdr[i];

		if (ph->p_type == PT_LOAD && (ph->p_flags & PF_W))
			first_candidates(info->dlpi_addr + ph->p_vaddr, ph->p_memsz,
							 *(uint64 *) arg);
	}
	return 1;
}

static void
fewer_candidates(uint64 flush)
{
	int			n = 0;

	for (int i = 0; i < shim->ncandidates; i++)
		if (is_candidate((uint64 *) shim->candidates[i], flush))
			shim->candidates[n++] = shim->candidates[i];
	shim->ncandidates = n;
}

/*
 * Call with the flush pointer at different places, in sessions that do not
 * flush themselves, until it returns 1.
 */
Datum
shim_calibrate(PG_FUNCTION_ARGS)
{
	uint64		flush = GetFlushRecPtr(NULL);

	if (shim->last_flush == 0)
		dl_iterate_phdr(scan_program, &flush);
	else if (flush != shim->last_flush)
		fewer_candidates(flush);
	shim->last_flush = flush;
	shim->logwrt_result = shim->ncandidates == 1 ? shim->candidates[0] : 0;
	PG_RETURN_INT32(shim->ncandidates);
}

/*
 * (quota int, window float8, flush_time float8), the times in ms: a device
 * with a quota of flushes in each window, or without one if the quota is 0.
 * All 0: the disk.
 */
Datum
shim_device(PG_FUNCTION_ARGS)
{
	Device	   *device = &shim->device;

	device->quota = 0;
	if (PG_GETARG_FLOAT8(1) > 0)
		device->window = (uint64) (PG_GETARG_FLOAT8(1) * 1e6);
	device->flush_time = (uint64) (PG_GETARG_FLOAT8(2) * 1e6);
	device->quota = PG_GETARG_INT32(0);
	PG_RETURN_VOID();
}

/*
 * (every int, time float8): one of so many writes of WAL takes so many ms.
 * With 0, no write takes time, and writes that wait go on.
 */
Datum
shim_writes(PG_FUNCTION_ARGS)
{
	shim->device.write_time = (uint64) (PG_GETARG_FLOAT8(1) * 1e6);
	shim->device.write_every = PG_GETARG_INT32(0);
	PG_RETURN_VOID();
}

/* MB/s that the device writes; 0: no limit */
Datum
shim_bandwidth(PG_FUNCTION_ARGS)
{
	double		bandwidth = PG_GETARG_FLOAT8(0);

	shim->device.byte_time = bandwidth > 0 ? 1e3 / bandwidth : 0;
	PG_RETURN_VOID();
}

Datum
shim_reset(PG_FUNCTION_ARGS)
{
	shim->nevents = 0;
	PG_RETURN_VOID();
}

/*
 * (kind text, backend boolean, pid int, boundary pg_lsn, at bigint,
 * length bigint, asked int)
 */
Datum
shim_events(PG_FUNCTION_ARGS)
{
	static const char *const kinds[] = {
		"none", "sync", "write", "sleep", "stall"
	};
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	uint64		n = shim->nevents;

	if (n > MAX_EVENTS)
		elog(ERROR, "shim: too many events");
	InitMaterializedSRF(fcinfo, 0);
	for (uint64 i = 0; i < n; i++)
	{
		const Event *event = &shim->events[i];
		Datum		values[7];
		bool		nulls[7] = {0};

		values[0] = CStringGetTextDatum(kinds[event->kind]);
		values[1] = BoolGetDatum(event->backend_type == B_BACKEND);
		values[2] = Int32GetDatum(event->pid);
		values[3] = LSNGetDatum(event->boundary);
		values[4] = Int64GetDatum((int64) event->at);
		values[5] = Int64GetDatum((int64) event->length);
		values[6] = Int32GetDatum(event->asked);
		tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, values, nulls);
	}
	return (Datum) 0;
}
