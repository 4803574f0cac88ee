/*-------------------------------------------------------------------------
 *
 * backend_slots.c
 *		What each backend counts alone; totals and reset.
 *
 *	slot		the counters of one backend, on cache lines of their own
 *	cell		a set of the counters of a slot; the owner counts in one, and
 *				may change to another one between two transactions
 *	owner		the backend whose PGPROC has the slot's number
 *	base		what readers subtract, and since when: the sum of all slots at
 *				the last reset or, until the first one, what was counted before
 *				the server started, negative (modulo 2^64)
 *
 * A slot belongs to a PGPROC, not to a process: the next owner counts on from
 * where the last one stopped.  So nothing is handed over at its exit but
 * counts per client or statement: by clients_leave() and statements_leave(),
 * with entry_table_move().
 *
 * Invariant: a counter only grows, and only the owner of the slot writes it.
 *
 * Locking: none for writers.  Readers add up all slots.  Each counter is
 * exact, but the sum is no snapshot: a commit that is being counted at that
 * moment may be in one counter and not yet in another.
 * commit_stats_reset_lock() protects the base; callers of backend_slots_read()
 * and a reset hold it.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/xlog.h"
#include "miscadmin.h"
#include "utils/timestamp.h"

#include "module/shared_memory.h"
#include "module/stats_module.h"
#include "stats/backend_slots.h"

static pg_atomic_uint64 unread[SLOT_NFIELDS + SLOT_NCOUNTERS];
pg_atomic_uint64 *backend_slots_fields = unread;
pg_atomic_uint64 *backend_slots_mine = unread + SLOT_NFIELDS;
uint64		backend_slots_wal_origin = 0;

static SlotTotals *base = NULL;
static char *slots = NULL;

/* A copy of all cells, during a reset */
static uint64 (*at_reset)[SLOT_NCOUNTERS] = NULL;

static Size
slot_size(void)
{
	return TYPEALIGN(PG_CACHE_LINE_SIZE,
					 (SLOT_NFIELDS + backend_slots_ncells() * SLOT_NCOUNTERS) *
					 sizeof(pg_atomic_uint64));
}

static Size
backend_slots_tail_size(int backends)
{
	return mul_size(backends, slot_size());
}

static pg_atomic_uint64 *
fields_of(int procno)
{
	return (pg_atomic_uint64 *) (slots + procno * slot_size());
}

static pg_atomic_uint64 *
cell_of(int procno, int cell)
{
	return fields_of(procno) + SLOT_NFIELDS + cell * SLOT_NCOUNTERS;
}

static void
backend_slots_attach(void *head, void *tail, bool found)
{
	base = head;
	slots = tail;
	if (found)
		return;
	base->stats_reset = GetCurrentTimestamp();
}

/*
 * This backend counts in that cell from now on.  What it has not counted yet,
 * or has skipped while counting was off, stays so.
 */
void
backend_slots_use_cell(int cell)
{
	pg_atomic_uint64 *used = &fields_of(MyProcNumber)[SLOT_CELLS_USED];
	pg_atomic_uint64 *mine = cell_of(MyProcNumber, cell);

	backend_slots_wal_origin += pg_atomic_read_u64(&mine[SLOT_WAL_BYTES]) -
		pg_atomic_read_u64(&backend_slots_mine[SLOT_WAL_BYTES]);
	backend_slots_mine = mine;
	if (cell >= pg_atomic_read_u64(used))
		pg_atomic_write_u64(used, cell + 1);
}

static void
backend_slots_enter(void)
{
	backend_slots_fields = fields_of(MyProcNumber);
	backend_slots_use_cell(0);
	backend_slot_set_committing(0, 0);
	backend_slot_set_begun(0);
}

/* Those of "ncells" cells from "first" on, all of one slot. */
static void
add_cells(int first, int ncells, uint64 *sum, int ncounters)
{
	int			procno = first / backend_slots_ncells();
	int			cell = first % backend_slots_ncells();
	int			used = pg_atomic_read_u64(&fields_of(procno)[SLOT_CELLS_USED]);
	int			end = Min(cell + ncells, used);

	for (; cell < end; cell++)
		counter_array_read_add(sum, cell_of(procno, cell), ncounters);
}

void
backend_slots_copy_cells(int first, int ncells, uint64 *value, int ncounters)
{
	memset(value, 0, ncounters * sizeof(uint64));
	add_cells(first, ncells, value, ncounters);
}

/* In the middle of a commit, SLOT_COMMIT_BEGUN may be older or newer. */
uint64
backend_slots_commit_begun(int procno, int *tag)
{
	pg_atomic_uint64 *counter = fields_of(procno);
	uint64		since = pg_atomic_read_u64(&counter[SLOT_COMMITTING_SINCE]);
	uint64		begun = pg_atomic_read_u64(&counter[SLOT_COMMIT_BEGUN]);

	*tag = (int) (since & COMMITTING_TAGS);
	since &= ~(uint64) COMMITTING_TAGS;
	return begun == 0 ? since : Min(begun, since);
}

uint64
backend_slots_committing_since(int procno)
{
	pg_atomic_uint64 *counter = fields_of(procno);
	uint64		since = pg_atomic_read_u64(&counter[SLOT_COMMITTING_SINCE]);

	return (since & COMMITTING_TAGS) == 0 ? since : 0;
}

int
backend_slots_count_committing(uint64 before)
{
	int			n = 0;

	for (int i = 0; i < MaxBackends; i++)
	{
		uint64		since = backend_slots_committing_since(i);

		n += since != 0 && since < before;
	}
	return n;
}

uint64
backend_slots_wal_committing(void)
{
	uint64		sum = 0;

	for (int i = 0; i < MaxBackends; i++)
		if (backend_slots_committing_since(i) != 0)
			sum += pg_atomic_read_u64(&fields_of(i)[SLOT_WAL_COMMITTING]);
	return sum;
}

void
backend_slots_add_up(uint64 *sum, int ncounters)
{
	memset(sum, 0, ncounters * sizeof(uint64));
	for (int i = 0, ncells = backend_slots_ncells(); i < MaxBackends; i++)
		add_cells(i * ncells, ncells, sum, ncounters);
}

uint64
backend_slots_responses(void)
{
	uint64		sum = 0;

	for (int i = 0; i < MaxBackends; i++)
		sum += pg_atomic_read_u64(&fields_of(i)[SLOT_RESPONSES]);
	return sum;
}

static void
backend_slots_save(const void *object, void *to)
{
	SlotTotals *totals = to;

	backend_slots_add_up(totals->value, SLOT_NCOUNTERS);
	counter_array_subtract(totals->value, base->value, SLOT_NCOUNTERS);
	totals->stats_reset = base->stats_reset;
	totals->wal_reset = base->wal_reset;
}

static void
backend_slots_restore(void *object, const void *from, Size size)
{
	const SlotTotals *saved = from;

	counter_array_subtract(base->value, saved->value, SLOT_NCOUNTERS);
	base->stats_reset = saved->stats_reset;
	base->wal_reset = saved->wal_reset;
	/* no worker ran: one would begin only after this WAL */
	if (base->wal_reset == InvalidXLogRecPtr && saved->value[SLOT_WAL_BYTES] > 0)
		base->wal_reset = PG_UINT64_MAX;
}

void
backend_slots_read(SlotTotals *totals)
{
	Assert(LWLockHeldByMe(commit_stats_reset_lock()));

	backend_slots_save(NULL, totals);
}

TimestampTz
backend_slots_reset_time(void)
{
	return *(volatile TimestampTz *) &base->stats_reset;
}

static XLogRecPtr
end_of_wal(void)
{
	return RecoveryInProgress() ? InvalidXLogRecPtr : GetXLogInsertRecPtr();
}

void
backend_slots_note_wal_start(void)
{
	shared_memory_acquire(commit_stats_reset_lock(), LW_EXCLUSIVE);
	if (base->wal_reset == InvalidXLogRecPtr)
		base->wal_reset = end_of_wal();
	LWLockRelease(commit_stats_reset_lock());
}

void
backend_slots_copy(void)
{
	int			n = MaxBackends * backend_slots_ncells();

	at_reset = palloc(mul_size(n, sizeof(*at_reset)));
	for (int i = 0; i < n; i++)
		backend_slots_copy_cells(i, 1, at_reset[i], SLOT_NCOUNTERS);
}

void
backend_slots_at_reset(int first, int ncells, uint64 *value, int ncounters)
{
	memset(value, 0, ncounters * sizeof(uint64));
	for (int i = first; i < first + ncells; i++)
		counter_array_add(value, at_reset[i], ncounters);
}

static void
backend_slots_reset(TimestampTz now)
{
	Assert(LWLockHeldByMeInMode(commit_stats_reset_lock(), LW_EXCLUSIVE));

	backend_slots_at_reset(0, MaxBackends * backend_slots_ncells(),
						   base->value, SLOT_NCOUNTERS);
	base->stats_reset = now;
	base->wal_reset = end_of_wal();
}

const StatsModule backend_slots_module = {
	.head_size = sizeof(SlotTotals),
	.tail_size = backend_slots_tail_size,
	.attach = backend_slots_attach,
	.enter = backend_slots_enter,
	.reset_copy = backend_slots_copy,
	.reset = backend_slots_reset,
	.saved_name = "backend_slots",
	.saved_head_size = sizeof(SlotTotals),
	.save = backend_slots_save,
	.restore = backend_slots_restore,
};
