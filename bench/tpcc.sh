# tpcc.sh
#
# TPC-C as a load of sysbench.  TPCC in the environment names the folder with the
# scripts of sysbench-tpcc (Percona-Lab), which Debian's sysbench does not have; the
# empty TPCC means that there is no such load.  To be sourced after common.sh.
#
#	copy_tpcc		once, after the work folder was made; sets TPCC to a copy

# shellcheck shell=bash

TPCC=${TPCC:-}
[ -z "$TPCC" ] || [ -f "$TPCC/tpcc.lua" ] || die "there is no $TPCC/tpcc.lua."

# The user who runs sysbench must be able to read the scripts, which include one
# another.
copy_tpcc()
{
	mkdir "$work/tpcc"
	cp "$TPCC"/*.lua "$work/tpcc"
	chmod -R a+rX "$work/tpcc"
	export TPCC=$work/tpcc LUA_PATH="$work/tpcc/?.lua;;"
}
