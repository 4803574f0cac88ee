# loads.sh
#
# Loads of pgbench and sysbench, by the name of a script.  To be sourced after
# common.sh.
#
#	prepare_loads SCRIPT...		once: their files and tables
#	choose_load SCRIPT CLIENTS	sets $load, a command without its duration
#	load_time SECONDS			sets $duration, what follows the command
#
# oltp_insert, oltp_write_only ("sysbench-...") and oltp_read_write ("sysbench-rw-...")
# have uniform keys, but with "-hot" sysbench's default, a few of them hot: sessions wait
# for each other's rows.  "two-loads" is one of one-row inserts: every sixth client has no
# pause between them, the others pause for 1 to 8 ms within each.  "notify" is an insert
# with a NOTIFY, "hot-row" updates one row: their commits can only come one by one.

# shellcheck shell=bash

. "$(dirname "${BASH_SOURCE[0]}")/tpcc.sh"

sysbench=(--db-driver=pgsql --tables=4 --table-size=20000)
tpcc=(--db-driver=pgsql --scale=4 --use_fk=0 --trx_level=RC)	# warehouses

prepare_loads()
{
	local server=(--pgsql-host="$PGHOST" --pgsql-user="$PGUSER" --pgsql-db="$PGDATABASE")
	local insert="INSERT INTO inserted VALUES (1, 'as short as it gets');"

	ask "CREATE TABLE inserted (n int, filler text)"
	echo "$insert" >"$work/tmp/insert.sql"
	printf '%s\n' "BEGIN;" "$insert" "END;" >"$work/tmp/three-statements.sql"
	printf '%s\n' '\set ms random(1, 8)' '\sleep :ms ms' "$insert" >"$work/tmp/think.sql"
	printf '%s\n' '\if :client_id % 6 > 0' '\set ms random(1, 8)' '\sleep :ms ms' '\endif' \
		"$insert" >"$work/tmp/two-loads.sql"
	echo "WITH i AS (INSERT INTO inserted VALUES (1, 'told') RETURNING n)
		SELECT pg_notify('inserted', n::text) FROM i;" >"$work/tmp/notify.sql"
	echo "UPDATE pgbench_branches SET bbalance = bbalance + 1 WHERE bid = 1;" >"$work/tmp/hot-row.sql"
	[[ " $* " = *" sysbench-"* ]] || return 0
	sysbench+=("${server[@]}")
	step sysbench.log "sysbench" sysbench oltp_write_only "${sysbench[@]}" prepare
	[[ " $* " = *" sysbench-tpcc "* ]] || return 0
	say "Making the tables of TPC-C, which takes a few minutes."
	copy_tpcc
	tpcc+=("${server[@]}")
	step sysbench.log "sysbench" sysbench "$TPCC/tpcc.lua" "${tpcc[@]}" \
		--threads="$(nproc)" prepare
}

choose_load()
{
	local test=oltp_write_only

	[[ $1 != sysbench-insert* ]] || test=oltp_insert
	[[ $1 != sysbench-rw-* ]] || test=oltp_read_write
	load=("$bin/pgbench" -n -j "$threads" -c "$2")
	case $1 in
		sysbench-tpcc) load=(sysbench "$TPCC/tpcc.lua" "${tpcc[@]}" --threads="$2") ;;
		sysbench-*) load=(sysbench "$test" "${sysbench[@]}" --threads="$2")
			[[ $1 = *-hot ]] || load+=(--rand-type=uniform) ;;
		simple-update) load+=(-b simple-update) ;;
		rate) load+=(-b simple-update --rate=800) ;;
		tpcb) load+=(-b tpcb-like) ;;
		mixed) load+=(-b select-only@50 -f "$work/src/bench/mixed-load-update.sql@30"
			-f "$work/src/bench/mixed-load-insert.sql@15") ;;
		*) load+=(-f "$work/tmp/$1.sql") ;;
	esac
}

load_time()
{
	duration=(-T "$1")
	[ "${load[0]}" != sysbench ] || duration=(--time="$1" run)
}
