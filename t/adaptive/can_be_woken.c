/*-------------------------------------------------------------------------
 *
 * can_be_woken.c
 *		What src/base/compat.h says of this server, for t/adaptive_wake.pl.
 *
 * Prints whether SIGUSR1 ends the sleep of commit_delay.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "base/compat.h"

/* The server's replacement is not linked here. */
#undef printf

int
main(void)
{
	printf("%s\n", COMMIT_DELAY_CAN_BE_WOKEN ? "yes" : "no");
	return 0;
}
