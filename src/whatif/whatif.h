/* What another commit_delay would do; see whatif.c.  Times are in us. */
#ifndef COMMIT_STATS_WHATIF_H
#define COMMIT_STATS_WHATIF_H

#include "base/histogram.h"
#include "stats/commit_trace.h"
#include "stats/srf.h"
#include "tuning/tuning.h"

/* ---- whatif_simulation.c: a load, and the server that it runs on ---- */

/*
 * How many values a sample has of something, to draw from.  Block b has those
 * from first[b] up to, but not including, first[b + 1].
 */
typedef struct Blocks
{
	int			n;
	int		   *first;			/* null: there are no blocks */
} Blocks;

typedef struct Distribution
{
	Blocks		blocks;			/* no values: the value is always 0 */
	double	   *value;
} Distribution;

/* The work of a session from the end of a flush to its next commit. */
typedef struct LoadCycle
{
	double		work;			/* from when its last commit returned, or from
								 * the next begin, on */
	bool		prepares;		/* it ends with a PREPARE TRANSACTION */
	bool		notifies;		/* its commit sends a NOTIFY */
	uint8		party;			/* whose commit ends it; 0: of none */
} LoadCycle;

/* Clients or statements that a remedy may change; 0 stands for all others. */
#define NPARTIES	3

/* How a session whose flush carried others' commits, too, woke up */
typedef struct WakeUp
{
	double		time;			/* from the end of the flush; a part of work */
	int			first;			/* index of the first one of this flush */
	int			n;				/* sessions in this flush */
} WakeUp;

/* Sessions that repeat the same cycles */
typedef struct LoadGroup
{
	int			nclients;
	Blocks		cycles;			/* at least 1, if there are clients */
	LoadCycle  *cycle;			/* in order of time */
	double		arrivals;		/* transactions per us that begin by
								 * themselves; 0: a client's next transaction
								 * follows its last one */
} LoadGroup;

#define MAX_GROUPS	8
#define MIN_PART	0.05		/* of commits, or of the time; less is not
								 * worth a remedy, or a reason */

/* Of each of n sessions that work, relative to one that works alone */
static inline double
work_speed(double cores, int n)
{
	return Min(1, cores / n);
}

/*
 * A load, and the server that it runs on.  whatif_fit() makes one of a sample;
 * a copy with one field changed is another server, or other clients.
 */
typedef struct WhatifLoad
{
	/* The settings. */
	int			delay;
	int			siblings;
	double		adaptive;		/* the longest sleep of the adaptive delay; 0:
								 * "delay" and "siblings" */
	double		learning;		/* time that it needs, which is not counted */

	/* The simulation draws one block of the sample after the other. */
	int			nblocks;		/* at least 1 */
	double		block_length;
	const int  *chosen;			/* as many to draw from; null: all of them */

	/* The clients. */
	int			nclients;		/* of all groups */
	int			ngroups;
	LoadGroup	group[MAX_GROUPS];
	double		cores;			/* as many clients work without slowing down */
	double		xid_share;		/* of a client's work, at its end, with an xid */
	int			strangers;		/* siblings that never commit */
	double		conflict;		/* mean number of locks that a transaction
								 * needs and a given other one holds */

	Blocks		wakeups;
	WakeUp	   *wakeup;			/* in order of time */

	/* What one party does otherwise; 0: nothing is changed */
	int			changed;
	int			batch;			/* its transactions in one commit, if above 1 */
	bool		async;			/* it does not wait */
	bool		quiet;			/* it sends no NOTIFY in its transactions */

	/* The WAL and its device. */
	Distribution flush;			/* write and sync */
	const double *pages;		/* of WAL in each of these */
	const int  *carried;		/* commits, likewise */
	double		page_time;		/* part of it for each page; 0: none shows */
	double		wal;			/* pages of a transaction */
	double		room;			/* pages that asynchronous commits may leave */
	Distribution pause;			/* in which no flush begins, whatever commits
								 * do */
	double		window;			/* of the device's quota; 0: there is none */
	double		quota;			/* flushes in a window, or pages of WAL */
	bool		of_wal;			/* pages */
	bool		unclear;		/* or of flushes: the sample does not tell */
	Distribution handoff;		/* from the end of a flush to the next one, if
								 * a commit waits for it */
	Distribution approach;		/* from the begin of a commit to its flush, if
								 * none is under way */
	double		slack;			/* that a sleep takes longer than asked */
} WhatifLoad;

/* Transactions; one that a batch gathers counts as one. */
typedef struct TransactionSums
{
	double		commits;		/* transactions */
	double		response;		/* sum, from their begin to the end of COMMIT */
	double		latency;		/* sum over the commits in "cell" */
	uint64		cell[HISTOGRAM_NCELLS]; /* latencies of commits that waited */
} TransactionSums;

/* What a simulation measured, after its warm-up */
typedef struct WhatifOutcome
{
	double		time;			/* simulated */
	double		flushes;
	double		hits;			/* flushes whose leader slept */
	double		blocked;		/* sum of all waits for locks */
	bool		endless;		/* cut off: nothing limits the load */
	TransactionSums others[NPARTIES];	/* of all but this party; 0: of all */
} WhatifOutcome;

extern void whatif_simulate(const WhatifLoad *load, double time, uint64 seed,
							WhatifOutcome *outcome);
extern void whatif_change_flushes(WhatifLoad *load, double factor,
								  double less_wal);
extern void whatif_find_conflict(WhatifLoad *load, double blocked);

/* ---- whatif_fit.c: from a sample to a load ---- */

/* CPU time of the machine, between two readings. */
typedef struct CpuUsage
{
	int			n;				/* processors; 0: not known */
	double		busy;			/* us, of all processors together */
} CpuUsage;

extern bool whatif_fit(CommitTrace *trace, const CpuUsage *cpus,
					   WhatifLoad *load, double *blocked);

/* ---- whatif.c: predictions from a sample ---- */

#define NREPLICAS		8		/* simulations of each load */

/* What is predicted */
typedef enum Quantity
{
	/* of all clients; OF_OTHERS() is the same, of all but those of a party */
	COMMIT_RATE,				/* per second */
	MEAN_TIME,					/* of a commit, ms */
	TRANSACTION_TIME,			/* to the end of its commit; mean, ms */
	P99,						/* of a commit, ms */
	PARTY_QUANTITIES,

	/* of the server */
	FLUSH_RATE = NPARTIES * PARTY_QUANTITIES,
	GROUP_SIZE,					/* commits per flush */
	HIT_FRACTION,
	NQUANTITIES
} Quantity;

#define OF_OTHERS(quantity, party)	((quantity) + (party) * PARTY_QUANTITIES)

/* The prediction of one load */
typedef struct Prediction
{
	double		value[NQUANTITIES][NREPLICAS];
	Estimate	estimate[NQUANTITIES];
} Prediction;

/* A client or a statement in the sample */
typedef struct SampleParty
{
	uint64		key;			/* commit_trace_hash(), or a query identifier */
	int			commits;		/* with prepares */
	int			prepares;
	int			notifies;
	int			applied;		/* by workers of logical replication */
	int			sessions;
	uint64		statement;		/* of most of its commits; 0: unknown */
} SampleParty;

/* A sample, and what is predicted from it; palloc'd */
typedef struct Forecast
{
	WhatifLoad	load;			/* at present */
	bool		locks;			/* sessions wait for each other's */
	bool		of_statements;	/* parties are statements of one client */
	SampleParty party[MAX_GROUPS];	/* by rank; 0: all commits */

	/* The sample. */
	uint64		length;			/* ns */
	CommitTrace trace;
	CounterDelta measured;
	CpuUsage	cpus;
	XLogRecPtr	wal_from;		/* where the WAL ended as it began */

	DelayOutcomes outcomes;		/* of the pairs, as best_delay.c reads them */
	Prediction *prediction;		/* the same */
	PresentSetting present;		/* the setting during the sample */

	double		time;			/* us that each simulation lasts */
} Forecast;

extern Forecast *forecast_sample(FunctionCallInfo fcinfo, int argument);
extern void forecast_begin(Forecast *forecast, const DelayPairs *pairs,
						   int nmore);
extern void forecast_predict(const Forecast *forecast, const WhatifLoad *load,
							 Prediction *it);
extern bool forecast_goes_on(const Forecast *forecast, const WhatifLoad *load);
extern char *forecast_hidden_quota(const Forecast *forecast,
								   const Prediction *it);
extern void row_prediction(Row *row, const char *prefix, const Prediction *it,
						   int party);
extern void row_measured(Row *row, const Forecast *forecast);
extern char *whatif_quota(const WhatifLoad *load);

#endif							/* COMMIT_STATS_WHATIF_H */
