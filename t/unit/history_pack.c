/*-------------------------------------------------------------------------
 *
 * history_pack.c
 *		Packs and unpacks random words, and unpacks damaged ones, for
 *		t/unit/history_pack.pl.
 *
 * The argument is the number of cases, the output how many of them are wrong.
 *
 *-------------------------------------------------------------------------
 */
#include "program.h"

#include "common/pg_prng.h"

#include "../../src/history/history_file.c"

#define MOST_WORDS	60
#define GUARD		0xdeadbeef

/* Runs of 0 and of other words */
static void
make_words(pg_prng_state *random, uint64 *word, int n)
{
	bool		zeros = pg_prng_bool(random);

	for (int i = 0; i < n; i++)
	{
		if (pg_prng_uint64_range(random, 0, 3) == 0)
			zeros = !zeros;
		word[i] = zeros ? 0 : pg_prng_uint64_range(random, 1, 5);
	}
}

int
main(int argc, char **argv)
{
	pg_prng_state random;
	int			wrong = 0;

	pg_prng_seed(&random, 1);
	for (int i = 0; i < atoi(argv[1]); i++)
	{
		uint64		word[MOST_WORDS];
		uint64		packed[MOST_WORDS + 2];
		uint64		unpacked[MOST_WORDS + 1] = {0};
		const uint64 *next;
		int			n = (int) pg_prng_uint64_range(&random, 2, MOST_WORDS);
		int			half = n / 2;
		uint64	   *end;

		make_words(&random, word, n);
		/* row by row, as the file has them */
		end = pack(word, half, packed);
		end = pack(word + half, n - half, end);
		unpacked[n] = GUARD;
		next = unpack(packed, end, unpacked, half);
		wrong += end - packed > n + 2 || next == NULL ||
			unpack(next, end, unpacked + half, n - half) != end ||
			memcmp(word, unpacked, n * sizeof(uint64)) != 0;
		memset(unpacked, 0, n * sizeof(uint64));
		wrong += unpack(packed, end, unpacked, n + 1) != NULL;

		/* damaged: nothing is written behind the words */
		packed[pg_prng_uint64_range(&random, 0, end - packed - 1)] =
			pg_prng_bool(&random) ? pg_prng_uint64(&random) :
			pg_prng_uint64_range(&random, 0, MOST_WORDS) << 32 |
			pg_prng_uint64_range(&random, 0, MOST_WORDS);
		memset(unpacked, 0, n * sizeof(uint64));
		(void) unpack(packed, end, unpacked, n);
		wrong += unpacked[n] != GUARD;
	}
	printf("%d\n", wrong);
	return 0;
}
