# Does the simulation whose instructions bench/cost counts follow the code of
# the adaptive delay?
#
# bench/adaptive_cost.c takes the place of the server for adaptive_delay.c and
# spacing.c, and prints how many leaders slept.

use CommitStats;

my $run =
  compile_program('bench/adaptive_cost.c', 'src/control/adaptive_delay.c', 'src/control/spacing.c');

cmp_ok($run->([ 20000, 1 ]), '>', 10000, 'a quota: most leaders sleep');

done_testing();
