/*-------------------------------------------------------------------------
 *
 * whatif_simulation.c
 *		Simulates a server whose backends commit.
 *
 *	load		the input: settings, clients and device
 *	event		the end of a client's work, of a leader's sleep or of a flush;
 *				in an open load, also a transaction that begins
 *	virtual		clock: the work that each working client has done so far
 *
 * whatif_simulate() advances from one event to the next.  All that a server,
 * its settings or its clients can have otherwise is in the load, and the code
 * reads the load alone.  So a remedy is a load with one change.
 *
 * Clients.  A client repeats cycles of its group: it works, then it commits.
 * While n clients work, each of them progresses at min(1, cores / n) of the
 * speed that it has alone.  All progress at the same speed, so a client that
 * comes or goes does not change the order in which the others finish.
 *
 * Waking up.  The members of a flush wake up as those of one flush of the
 * sample did: a processor that is busy is busy for all of them.  If each drew
 * its own time, the slowest of many would nearly always be slow.
 *
 * Siblings.  A transaction has an xid while its client wakes up from the last
 * commit, and at the end of its work.  Some siblings may be no clients.
 *
 * Locks.  A transaction takes its locks halfway through its work and keeps
 * them until it has committed.  If it needs a lock that another one holds, it
 * waits until that one has committed.  Transactions that wait for the same one
 * continue one after the other.
 *
 * Prepares.  A PREPARE TRANSACTION waits, leads and follows as a commit does,
 * and is not counted.
 *
 * NOTIFY.  A commit that sends one takes a lock before it joins a flush and
 * keeps the lock until that flush has ended.  So such commits never share one.
 * The next of them has the lock when its holder and then its own client have
 * woken up, which is usually too late for the flush that begins at once.
 * Those that wait for the lock are no siblings.  The adaptive delay lets no
 * client sleep at its next commit.
 *
 * Open groups.  Transactions begin by themselves and wait for a free client.
 *
 * Remedies of a party.  Its commits do not wait, or send no NOTIFY; or most of
 * its transactions end without a commit, which a later one carries.
 *
 * Flush.  A client that commits while the WAL write lock is free takes the
 * lock after its approach (await_flush()), and may sleep (lead()).  If clients
 * came too late for a flush, the next one begins after the handoff
 * (end_flush()).  With a quota (begin_flush()), a window of time has room for
 * a number of flushes, or for an amount of WAL, and the next flush waits for
 * the next window.  Where pages of WAL take time, a flush takes longer by as
 * many as it has more than the one that was drawn.
 *
 * Pause.  In the time of a stall that a checkpoint made, say, no flush begins.
 * Pauses come as often as in the sample, however few flushes there are.
 *
 * Locking: none, nor SQL.  A simulation can be cancelled at each event.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "common/pg_prng.h"
#include "lib/binaryheap.h"
#include "miscadmin.h"
#include "utils/memutils.h"

#include "control/adaptive_delay.h"
#include "control/spacing.h"
#include "whatif/whatif.h"

#define NEVER	INFINITY

/* The part of the simulated time that is not counted */
#define WARM_UP	0.1

/* No server does more; a load whose times are all 0 would never end. */
#define MAX_EVENTS_PER_US	4
#define MAX_AT_ONCE			1000000 /* events at one moment */

/* For a block with fewer values, all values of the sample serve. */
#define ENOUGH	5

/* With the least no client ever waits, with the most nearly all do. */
#define MIN_CONFLICT	1e-5
#define MAX_CONFLICT	10.0
#define CONFLICT_TIME	5e6		/* us to simulate with each value between them */

typedef enum ClientState
{
	CLIENT_FREE,				/* in an open load: without a transaction */
	CLIENT_WORKING,				/* until the virtual clock shows "when"; the
								 * first in "notifying" wakes up */
	CLIENT_BLOCKED,				/* until "holder" has committed */
	CLIENT_QUEUED,				/* in "notifying", not the first */
	CLIENT_COMMITTING			/* in "committing" */
} ClientState;

typedef struct Client
{
	ClientState state;
	int			group;
	int			gathered;		/* transactions of the batch under way */
	bool		notifies;		/* one that its next commit carries does */
	bool		notified;		/* its last commit did */
	double		wake;			/* until its last commit returns */
	double		when;			/* on the virtual clock: end of this work */
	const LoadCycle *cycle;
	double		awake_at;		/* on the virtual clock */
	double		done_at;		/* on the virtual clock: it commits */
	bool		has_locks;		/* or needs none */
	int			holder;			/* of the lock that it waits for */
	double		began_at;		/* its transaction, apart from "wake" */
	double		commits_since;	/* if it is queued or committing */
	double		sleep;			/* if it leads */
	const LoadCycle *last;		/* the transaction that ended last */
	double		response;		/* ... and its time */
} Client;

typedef enum WalState
{
	WAL_FREE,					/* no client has the WAL write lock */
	WAL_EXPECTED,				/* a leader takes the lock at wal_at */
	WAL_SLEEPING,				/* the leader sleeps until wal_at */
	WAL_WRITING					/* the flush ends at wal_at */
} WalState;

/* The transactions of an open group */
typedef struct Arrivals
{
	double		next;			/* the next one begins; never in other groups */
	int			backlog;		/* transactions that wait for a client */
	int			nfree;
	int		   *free;			/* clients without a transaction */
} Arrivals;

typedef struct Simulation
{
	const WhatifLoad *load;
	WhatifOutcome *outcome;
	pg_prng_state random;

	double		now;
	double		counting_from;	/* end of the warm-up */
	int			block;			/* of the sample, that is drawn from */
	double		block_end;
	double		virtual_now;	/* work that each client could have done */
	Client	   *client;
	binaryheap *working;		/* clients, the lowest "when" first */
	Arrivals	arrivals[MAX_GROUPS];
	int			nblocked;

	WalState	wal;
	double		wal_at;
	double		flush_began_at; /* the flush under way */
	double		flush_ended_at; /* the last one */
	Spacing		spacing;		/* of the adaptive delay */
	int			ncommitting;
	int		   *committing;		/* clients, by their beginning to commit */
	int			nmembers;		/* the first ones, in the flush under way */
	int			nnotifying;		/* the first has NOTIFY's lock, the others */
	int		   *notifying;		/* wait for it */
	double		unflushed;		/* transactions that the next flush is for */
	double		pause_end;
	double		window_end;
	double		left_in_window; /* of the quota */
} Simulation;

/*---- Chance ------------------------------------------------------*/

static int
random_below(Simulation *sim, int n)
{
	return (int) pg_prng_uint64_range(&sim->random, 0, n - 1);
}

/* An index of the present block or, if that has too few, of all */
static int
draw_index(Simulation *sim, const Blocks *blocks)
{
	int			from = blocks->first ? blocks->first[sim->block] : 0;
	int			n = blocks->first ? blocks->first[sim->block + 1] - from : 0;

	return n >= ENOUGH ? from + random_below(sim, n) :
		random_below(sim, blocks->n);
}

static double
draw(Simulation *sim, const Distribution *draws)
{
	return draws->blocks.n == 0 ? 0 :
		draws->value[draw_index(sim, &draws->blocks)];
}

static double
draw_exponential(Simulation *sim, double rate)
{
	return -log(1.0 - pg_prng_double(&sim->random)) / rate;
}

/*---- Clients -----------------------------------------------------*/

/* A binaryheap's first element is the largest. */
static int
compare_working(Datum a, Datum b, void *arg)
{
	const Client *client = arg;
	double		x = client[DatumGetInt32(a)].when;
	double		y = client[DatumGetInt32(b)].when;

	return (x < y) - (x > y);
}

/* When the virtual clock ends the work of the next client */
static double
first_working(const Simulation *sim)
{
	return binaryheap_empty(sim->working) ? NEVER :
		sim->client[DatumGetInt32(binaryheap_first(sim->working))].when;
}

static double
speed(const Simulation *sim)
{
	return work_speed(sim->load->cores, sim->working->bh_size);
}

static void
begin_work(Simulation *sim, int c)
{
	Client	   *client = &sim->client[c];

	client->state = CLIENT_WORKING;
	client->began_at = sim->now;
	client->awake_at = sim->virtual_now + client->wake;
	client->done_at = client->awake_at + client->cycle->work;
	client->has_locks = sim->load->conflict == 0;
	client->when = client->has_locks ? client->done_at :
		client->awake_at + client->cycle->work / 2;
	binaryheap_add(sim->working, Int32GetDatum(c));
}

/* A client takes its locks, and begins the second half of its work. */
static void
begin_second_half(Simulation *sim, int c)
{
	Client	   *client = &sim->client[c];

	client->has_locks = true;
	client->state = CLIENT_WORKING;
	client->done_at = sim->virtual_now + client->cycle->work / 2;
	client->when = client->done_at;
	binaryheap_add(sim->working, Int32GetDatum(c));
}

/* A client has done half of its work, and needs locks that others may hold. */
static void
take_locks(Simulation *sim, int c)
{
	double		skip = draw_exponential(sim, sim->load->conflict);

	for (int other = 0; other < sim->load->nclients; other++)
		if (sim->client[other].has_locks && skip-- < 1)
		{
			sim->client[c].state = CLIENT_BLOCKED;
			sim->client[c].holder = other;
			sim->nblocked++;
			return;
		}
	begin_second_half(sim, c);
}

/* The first of those that wait for it continues, the others wait for that. */
static void
release_locks(Simulation *sim, int holder)
{
	int			heir = -1;

	sim->client[holder].has_locks = false;
	for (int c = 0; c < sim->load->nclients && sim->nblocked > 0; c++)
	{
		if (sim->client[c].state != CLIENT_BLOCKED ||
			sim->client[c].holder != holder)
			continue;
		if (heir >= 0)
		{
			sim->client[c].holder = heir;
			continue;
		}
		heir = c;
		sim->nblocked--;
		begin_second_half(sim, c);
	}
}

/* A client's transaction has ended, or it enters the simulation. */
static void
begin_cycle(Simulation *sim, int c)
{
	Client	   *client = &sim->client[c];
	const LoadGroup *group = &sim->load->group[client->group];
	Arrivals   *arrivals = &sim->arrivals[client->group];

	client->last = client->cycle;
	client->response = sim->now - client->began_at;
	client->cycle = &group->cycle[draw_index(sim, &group->cycles)];
	if (group->arrivals == 0 || arrivals->backlog > 0)
	{
		arrivals->backlog -= group->arrivals > 0;
		begin_work(sim, c);
		return;
	}
	client->state = CLIENT_FREE;
	arrivals->free[arrivals->nfree++] = c;
}

/* A transaction of an open group begins. */
static void
simulate_arrival(Simulation *sim, int g)
{
	Arrivals   *arrivals = &sim->arrivals[g];

	arrivals->next = sim->now +
		draw_exponential(sim, sim->load->group[g].arrivals);
	if (arrivals->nfree > 0)
	{
		int			i = random_below(sim, arrivals->nfree);
		int			c = arrivals->free[i];

		arrivals->free[i] = arrivals->free[--arrivals->nfree];
		begin_work(sim, c);
	}
	else
		arrivals->backlog++;
}

/* The clients that the server counts as active */
static int
count_active(const Simulation *sim)
{
	int			n = 0;

	for (int c = 0; c < sim->load->nclients; c++)
	{
		const Client *it = &sim->client[c];

		n += it->state == CLIENT_COMMITTING ||
			(it->state == CLIENT_WORKING &&
			 (sim->virtual_now < it->awake_at ||
			  sim->virtual_now >= it->done_at - it->cycle->work * sim->load->xid_share));
	}
	return n;
}

/*---- The flush ---------------------------------------------------*/

/* The time of a flush, as one of the sample had it, for the WAL that there is */
static double
draw_flush(Simulation *sim)
{
	const WhatifLoad *load = sim->load;
	int			i = load->flush.blocks.n == 0 ? -1 :
	draw_index(sim, &load->flush.blocks);

	if (i < 0)
		return 0;
	return load->page_time == 0 ? load->flush.value[i] :
		Max(load->flush.value[i] + load->page_time * load->wal *
			(sim->unflushed - load->carried[i]), 0);
}

/* Write and sync for all clients that have come. */
static void
begin_flush(Simulation *sim)
{
	const WhatifLoad *load = sim->load;
	double		start = Max(sim->now, sim->pause_end);
	double		length = draw_flush(sim);

	while (load->window > 0 &&
		   (start >= sim->window_end || sim->left_in_window < 1))
	{
		start = Max(start, sim->window_end);
		sim->window_end += load->window;
		/* what is left of a flush counts in the next window, flushes do not */
		sim->left_in_window = Max(load->quota, 1) +
			(sim->left_in_window < 1 ? sim->left_in_window : 0);
	}
	sim->left_in_window -= load->of_wal ? load->wal * sim->unflushed : 1;
	sim->unflushed = 0;
	sim->flush_began_at = sim->now;
	sim->nmembers = sim->ncommitting;	/* a later client waits */
	sim->wal = WAL_WRITING;
	sim->wal_at = start + length;
}

/* A client has taken the WAL write lock, and sleeps or writes. */
static void
lead(Simulation *sim)
{
	int			siblings = count_active(sim) - 1 + sim->load->strangers;
	bool		counts = sim->now >= sim->counting_from;
	double		sleep = sim->client[sim->committing[0]].sleep;

	if (counts)
		sim->outcome->flushes++;
	if (sleep == 0 || siblings < (sim->load->adaptive > 0 ? 0 : sim->load->siblings))
	{
		begin_flush(sim);
		return;
	}
	if (counts)
		sim->outcome->hits++;
	sim->wal = WAL_SLEEPING;
	sim->wal_at = sim->now + sleep + sim->load->slack;
}

static void
await_flush(Simulation *sim, int c)
{
	sim->client[c].state = CLIENT_COMMITTING;
	sim->committing[sim->ncommitting++] = c;
	if (sim->wal == WAL_FREE)
	{
		sim->wal = WAL_EXPECTED;
		sim->wal_at = sim->now + draw(sim, &sim->load->approach);
	}
}

/* The sleep of a client that commits now, if it leads */
static double
choose_sleep(const Simulation *sim, const Client *client)
{
	double		spacing = client->notified ? 0 :
	Min(spacing_now(&sim->spacing), sim->load->adaptive);
	uint64		sleep;

	if (sim->load->adaptive == 0)
		return sim->load->delay;
	if (spacing * NS_PER_US <= SLEEP_SLACK)
		return 0;
	sleep = adaptive_delay_length((uint64) (spacing * NS_PER_US) - SLEEP_SLACK,
								  (uint64) (sim->now * NS_PER_US),
								  sim->wal == WAL_SLEEPING || sim->wal == WAL_WRITING,
								  (uint64) (sim->flush_ended_at * NS_PER_US));
	return (double) sleep / NS_PER_US;
}

static void
commit(Simulation *sim, int c)
{
	Client	   *client = &sim->client[c];

	client->state = CLIENT_QUEUED;
	client->commits_since = sim->now;
	client->sleep = choose_sleep(sim, client);
	client->notified = client->notifies &&
		!(sim->load->quiet && client->cycle->party == sim->load->changed);
	client->notifies = false;
	if (client->notified)
	{
		sim->notifying[sim->nnotifying++] = c;
		if (sim->nnotifying > 1)
			return;
	}
	await_flush(sim, c);
}

/* How long a client that flush i of the sample woke took to wake up */
static double
draw_wake_up(Simulation *sim, int i)
{
	const WakeUp *it = &sim->load->wakeup[i];

	return sim->load->wakeup[it->first + random_below(sim, it->n)].time;
}

/* How long the n members of a flush take; who flushed alone does not */
static void
wake_members(Simulation *sim, int n)
{
	bool		wakes = n > 1 && sim->load->wakeups.n > 0;
	int			i = wakes ? draw_index(sim, &sim->load->wakeups) : 0;

	for (int m = 0; m < n; m++)
		sim->client[sim->committing[m]].wake = wakes ? draw_wake_up(sim, i) : 0;
}

/* The client that has NOTIFY's lock has committed; the next one wakes up. */
static void
pass_on_notify(Simulation *sim, double wake)
{
	int			heir;

	sim->nnotifying--;
	memmove(sim->notifying, sim->notifying + 1, sim->nnotifying * sizeof(int));
	if (sim->nnotifying == 0)
		return;
	heir = sim->notifying[0];
	if (sim->load->wakeups.n == 0)
	{
		/* the handoff has it */
		await_flush(sim, heir);
		return;
	}
	wake += draw_wake_up(sim, draw_index(sim, &sim->load->wakeups));
	sim->client[heir].state = CLIENT_WORKING;
	sim->client[heir].when = sim->virtual_now + wake;
	binaryheap_add(sim->working, Int32GetDatum(heir));
}

/* The transaction that ended had a commit of "latency"; NaN: none waited. */
static void
count_transaction(Simulation *sim, const Client *client, double latency)
{
	if (sim->now < sim->counting_from || client->last->prepares)
		return;
	for (int p = 0; p < NPARTIES; p++)
	{
		TransactionSums *it = &sim->outcome->others[p];

		if (p > 0 && p == client->last->party)
			continue;
		it->commits++;
		it->response += client->response;
		if (isnan(latency) ||
			(sim->load->async && client->last->party == sim->load->changed))
			continue;
		it->latency += latency;
		it->cell[histogram_cell((uint64) (latency * 1000))]++;
	}
}

/* Its party may gather a batch of transactions for one commit, or not wait. */
static void
end_work(Simulation *sim, int c)
{
	const WhatifLoad *load = sim->load;
	Client	   *client = &sim->client[c];
	bool		is_changed = client->cycle->party == load->changed;
	bool		gathers = is_changed && load->batch > 1 &&
	++client->gathered % load->batch != 0;

	sim->unflushed++;
	client->notifies |= client->cycle->notifies;
	/* without room in the WAL buffers, it waits as well */
	if (!gathers && (!is_changed || !load->async ||
					 ((load->of_wal || load->page_time > 0) &&
					  load->wal * sim->unflushed > load->room)))
	{
		commit(sim, c);
		return;
	}
	client->notifies &= gathers;
	release_locks(sim, c);
	client->wake = 0;
	begin_cycle(sim, c);
	count_transaction(sim, client, NAN);
}

static void
end_flush(Simulation *sim)
{
	int			ndone = sim->nmembers;
	bool		notified = false;
	double		responses = 0;

	for (int i = 0; i < ndone; i++)
	{
		int			c = sim->committing[i];

		responses += sim->now - sim->client[c].began_at;
		notified |= sim->nnotifying > 0 && c == sim->notifying[0];
	}
	if (sim->load->adaptive > 0)
	{
		(void) spacing_flush_ended(&sim->spacing, sim->flush_began_at, sim->now,
								   sim->client[sim->committing[0]].sleep > 0);
		(void) spacing_look(&sim->spacing, sim->now, ndone, responses);
	}
	sim->flush_ended_at = sim->now;
	sim->nmembers = 0;
	for (int i = 0; i < ndone; i++)
		release_locks(sim, sim->committing[i]);
	wake_members(sim, ndone);
	for (int i = 0; i < ndone; i++)
		begin_cycle(sim, sim->committing[i]);
	for (int i = 0; i < ndone; i++)
	{
		const Client *it = &sim->client[sim->committing[i]];

		count_transaction(sim, it, sim->now - it->commits_since +
						  it->wake / speed(sim));
	}
	sim->ncommitting -= ndone;
	memmove(sim->committing, sim->committing + ndone, sim->ncommitting * sizeof(int));
	if (notified)
		pass_on_notify(sim, sim->client[sim->notifying[0]].wake);
	sim->wal = sim->ncommitting > 0 ? WAL_EXPECTED : WAL_FREE;
	if (sim->ncommitting > 0)
		sim->wal_at = sim->now + draw(sim, &sim->load->handoff);
}

/*---- From event to event -----------------------------------------*/

static void
work_event(Simulation *sim)
{
	int			c;

	/* rounding must not leave the virtual clock before the event */
	sim->virtual_now = Max(sim->virtual_now, first_working(sim));
	c = DatumGetInt32(binaryheap_remove_first(sim->working));
	if (sim->nnotifying > 0 && c == sim->notifying[0])
		await_flush(sim, c);
	else if (sim->client[c].has_locks)
		end_work(sim, c);
	else
		take_locks(sim, c);
}

static void
choose_block(Simulation *sim)
{
	const WhatifLoad *load = sim->load;
	const int  *pauses = load->pause.blocks.first;

	sim->block = random_below(sim, load->nblocks);
	if (load->chosen != NULL)
		sim->block = load->chosen[sim->block];
	sim->block_end += load->block_length;
	if (load->pause.blocks.n == 0)
		return;
	/* one after the other, as they came */
	sim->pause_end = Max(sim->pause_end, sim->now);
	for (int i = pauses[sim->block]; i < pauses[sim->block + 1]; i++)
		sim->pause_end += load->pause.value[i];
}

/* Returns false if nothing happens until "end". */
static bool
next_event(Simulation *sim, double end)
{
	double		work = sim->working->bh_size == 0 ? NEVER : sim->now +
	Max(first_working(sim) - sim->virtual_now, 0) / speed(sim);
	double		wal = sim->wal == WAL_FREE ? NEVER : sim->wal_at;
	int			first = 0;		/* group */
	double		when;
	double		elapsed;

	for (int g = 1; g < sim->load->ngroups; g++)
		if (sim->arrivals[g].next < sim->arrivals[first].next)
			first = g;
	when = Min(Min(work, wal), sim->arrivals[first].next);
	if (when > end)
		return false;
	/* both clocks advance */
	elapsed = Max(when - sim->now, 0);
	if (sim->working->bh_size > 0)
		sim->virtual_now += elapsed * speed(sim);
	if (sim->now >= sim->counting_from)
		sim->outcome->blocked += elapsed * sim->nblocked;
	sim->now += elapsed;
	while (sim->now >= sim->block_end)
		choose_block(sim);
	/* a client that commits at the moment of a flush is in time for it */
	if (when == work)
		work_event(sim);
	else if (when < wal)
		simulate_arrival(sim, first);
	else if (sim->wal == WAL_EXPECTED)
		lead(sim);
	else if (sim->wal == WAL_SLEEPING)
		begin_flush(sim);
	else
		end_flush(sim);
	return true;
}

static void
begin_simulation(Simulation *sim)
{
	const WhatifLoad *load = sim->load;
	int			c = 0;

	spacing_init(&sim->spacing, 0);
	sim->client = palloc0(load->nclients * sizeof(Client));
	sim->committing = palloc(load->nclients * sizeof(int));
	sim->notifying = palloc(load->nclients * sizeof(int));
	sim->working = binaryheap_allocate(load->nclients, compare_working,
									   sim->client);
	choose_block(sim);
	for (int g = 0; g < load->ngroups; g++)
	{
		const LoadGroup *group = &load->group[g];

		sim->arrivals[g].free = palloc(group->nclients * sizeof(int));
		sim->arrivals[g].next = group->arrivals > 0 ? 0 : NEVER;
		for (int i = 0; i < group->nclients; i++, c++)
		{
			sim->client[c].group = g;
			begin_cycle(sim, c);
		}
	}
}

/* The same seed, the number of the replica, gives the same outcome. */
void
whatif_simulate(const WhatifLoad *load, double time, uint64 seed,
				WhatifOutcome *outcome)
{
	MemoryContext own = AllocSetContextCreate(CurrentMemoryContext,
											  "commit_stats simulation",
											  ALLOCSET_DEFAULT_SIZES);
	MemoryContext callers = MemoryContextSwitchTo(own);
	double		events = 0;
	double		most;
	double		before = -1;
	int			at_once = 0;
	Simulation	sim = {
		.load = load,
		.outcome = outcome,
		.counting_from = load->learning + time * WARM_UP
	};

	time += load->learning;
	most = MAX_EVENTS_PER_US * time;
	memset(outcome, 0, sizeof(WhatifOutcome));
	pg_prng_seed(&sim.random, seed);
	begin_simulation(&sim);
	while (events < most && at_once < MAX_AT_ONCE && next_event(&sim, time))
	{
		CHECK_FOR_INTERRUPTS();
		events++;
		at_once = sim.now > before ? 0 : at_once + 1;
		before = sim.now;
	}
	if (events >= most || at_once == MAX_AT_ONCE)
	{
		outcome->endless = at_once == MAX_AT_ONCE || sim.now < time / 2;
		time = sim.now;
	}
	outcome->time = Max(time - sim.counting_from, 1);
	MemoryContextSwitchTo(callers);
	MemoryContextDelete(own);
}

/*
 * Flushes take "factor" times as long, or lack a share of their WAL, and are
 * quicker by what that takes.
 */
void
whatif_change_flushes(WhatifLoad *load, double factor, double less_wal)
{
	double	   *value = palloc(load->flush.blocks.n * sizeof(double));

	for (int i = 0; i < load->flush.blocks.n; i++)
		value[i] = Max(factor * load->flush.value[i] -
					   less_wal * load->page_time * load->pages[i], 0);
	load->flush.value = value;
	load->page_time *= factor;
	load->wal *= 1 - less_wal;
}

/*
 * Set load->conflict so that "blocked" clients wait for locks on average.  The
 * more conflicts, the more clients wait.  Sixteen halvings are closer than
 * chance.
 */
void
whatif_find_conflict(WhatifLoad *load, double blocked)
{
	double		low = log(MIN_CONFLICT);
	double		high = log(MAX_CONFLICT);

	for (int i = 0; i < 16 && blocked > 0; i++)
	{
		double		middle = (low + high) / 2;
		WhatifOutcome outcome;

		load->conflict = exp(middle);
		whatif_simulate(load, CONFLICT_TIME, 1, &outcome);
		if (outcome.blocked > blocked * outcome.time)
			high = middle;
		else
			low = middle;
	}
}
