/*-------------------------------------------------------------------------
 *
 * wal_device.c
 *		Prints the quota that src/base/wal_device.c finds, for
 *		t/unit/wal_device.pl.
 *
 * With an argument, prints the stall limit for this median instead, in us;
 * with "fit", what a page of WAL takes, in us, where each line is a flush: its
 * bytes and its time in us.
 *
 * Each input line is a stall: the number of its flush, its end and its length
 * in us, the position in the WAL, and 1 if something else explains it.  The
 * output is flushes, bytes or both, and window of the quota, or "none".
 *
 *-------------------------------------------------------------------------
 */
#include "program.h"

#include "base/histogram.h"
#include "base/wal_device.h"

#define MOST	1000

int
main(int argc, char **argv)
{
	static DeviceStall stall[MOST];
	DeviceQuota quota;
	int			explained;
	int			n = 0;

	if (argc > 1 && strcmp(argv[1], "fit") == 0)
	{
		static double bytes[MOST];
		static double time[MOST];
		FlushFit	fit;

		while (n < MOST && scanf("%lf %lf", &bytes[n], &time[n]) == 2)
			n++;
		wal_device_fit(bytes, time, n, &fit);
		printf("%.1f\n", fit_page_time(&fit));
		return 0;
	}
	if (argc > 1)
	{
		printf("%.0f\n", wal_device_stall_limit(atof(argv[1])));
		return 0;
	}
	while (n < MOST &&
		   scanf("%d %lf %lf %lf %d", &stall[n].flush, &stall[n].ended_at,
				 &stall[n].length, &stall[n].wal_end, &explained) == 5)
		stall[n++].explained = explained != 0;
	if (!wal_device_find_quota(stall, n, 2e6, &quota))
		printf("none\n");
	else
	{
		if (quota.of_flushes)
			printf("%.0f ", quantile(quota.flushes, quota.n, 0.5));
		if (quota.of_bytes)
			printf("%.0f bytes ", quantile(quota.bytes, quota.nbytes, 0.5));
		printf("%.0f\n", quota.window / 1000);
	}
	return 0;
}
