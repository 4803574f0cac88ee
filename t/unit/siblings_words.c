/*-------------------------------------------------------------------------
 *
 * siblings_words.c
 *		Backends that count their siblings in src/probe/siblings.c, one at a
 *		time, for t/unit/siblings_words.pl.
 *
 * The first argument is MaxBackends.  The others are places in the process
 * array: a backend registers and is active there; "-N": it unregisters; "=N":
 * it counts.  "-N+M": it unregisters, and another one registers at M as soon
 * as the first bit of N is cleared.  The output is, for each count, the
 * siblings and the words of bitmaps that it has read.
 *
 *-------------------------------------------------------------------------
 */
#include "program.h"

#include "base/compat.h"
#include "probe/siblings.h"

int			MaxBackends;
bool		IsUnderPostmaster = true;
BackendType MyBackendType = B_BACKEND;
Oid			MyDatabaseId = 1;
int			ParallelWorkerNumber = -1;
PGPROC	   *MyProc;
PROC_HDR   *ProcGlobal;

static int	words_read = 0;
static int	newcomer = -1;

static void register_at(int place);
static uint64 clear_bits(volatile pg_atomic_uint64 *word, uint64 keep);

#undef MyProcNumber
#define MyProcNumber		((int) (MyProc - ProcGlobal->allProcs))
#define pg_atomic_read_u64(word)	(words_read++, pg_atomic_read_u64(word))
#define pg_atomic_fetch_and_u64(word, keep)		clear_bits(word, keep)
#include "../../src/probe/siblings.c"

void
on_shmem_exit(pg_on_exit_callback function, Datum arg)
{
}

static void
register_at(int place)
{
	MyProc = &ProcGlobal->allProcs[place];
	MyProc->xid = FirstNormalTransactionId;
	MyProc->pid = 1;
	siblings_register_backend();
}

static uint64
clear_bits(volatile pg_atomic_uint64 *word, uint64 keep)
{
	PGPROC	   *leaving = MyProc;
	uint64		before = (pg_atomic_fetch_and_u64) (word, keep);

	if (newcomer >= 0)
		register_at(newcomer);
	newcomer = -1;
	MyProc = leaving;
	return before;
}

static void
unregister(const char *places)
{
	char	   *other;

	MyProc = &ProcGlobal->allProcs[strtol(places, &other, 10)];
	if (*other == '+')
		newcomer = atoi(other + 1);
	MyProc->xid = InvalidTransactionId;
	unregister_backend(0, 0);
}

int
main(int argc, char **argv)
{
	static PROC_HDR header;

	MaxBackends = atoi(argv[1]);
	*siblings_module.head = calloc(1, siblings_tail_size(MaxBackends));
	siblings_module.attach(*siblings_module.head, NULL, false);
	ProcGlobal = &header;
	header.allProcs = calloc(MaxBackends, sizeof(PGPROC));
	for (int i = 2; i < argc; i++)
	{
		if (argv[i][0] == '-')
			unregister(argv[i] + 1);
		else if (argv[i][0] != '=')
			register_at(atoi(argv[i]));
		else
		{
			MyProc = &header.allProcs[atoi(argv[i] + 1)];
			words_read = 0;
			printf("%u ", siblings_count());
			printf("%d\n", words_read);
		}
	}
	return 0;
}
