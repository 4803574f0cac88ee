# common.sh
#
# What the experiments share: arguments, progress, load, waiting, results and
# pictures.  To be sourced by bash; it sources script/common.sh, which does the
# rest.  An experiment calls
#
#	prepare_experiment NAME	instead of set_up and build_and_install
#	begin_results COLUMN...	then add_result for each measurement
#	keep_table				bench/results/NAME.tsv
#	keep_results			the same, and its picture
#	query_results QUERY...	tables from the results
#
# plot.py draws the picture from the file alone.  An experiment needs what
# script/test needs, and leaves the same behind; it wants python3-matplotlib.

# shellcheck shell=bash

. "$(dirname "${BASH_SOURCE[0]}")/../script/common.sh"

experiment=					# its name, which the results have, too
results=$root/bench/results
result_columns=()			# "name type" of each column
threads=2					# of pgbench
rounds=1					# of measurements

# Preparation

prepare_experiment()
{
	experiment=$1
	# Minutes of measuring should not end in "permission denied".
	{ mkdir -p "$results" && [ -w "$results" ]; } 2>/dev/null ||
		die "cannot write to $results."
	set_up
	build_and_install
}

# Progress

# plan STEPS SECONDS: the number of steps, and the seconds that each takes
plan()
{
	steps=$1
	step_length=$2
	steps_done=0
	plan_began=$SECONDS
}

# progress WHAT [STEPS]: the next step begins, or one that is as long as several
progress()
{
	local left=$(((steps - steps_done) * step_length))

	# two steps say more than the guess
	[ "$steps_done" -lt 2 ] ||
		left=$(((steps - steps_done) * (SECONDS - plan_began) / steps_done))
	steps_done=$((steps_done + ${2:-1}))
	printf '[%*d/%d, %d:%02d left] %s\n' "${#steps}" "$steps_done" "$steps" \
		$((left / 60)) $((left % 60)) "$1"
}

# in_rounds COMMAND VALUE...: the command with each value, in random order in each round
in_rounds()
{
	local value

	for ((round = 1; round <= rounds; round++)); do
		while read -r value; do
			"$1" "$value"
		done < <(shuf -e "${@:2}")
	done
}

# Server

# ask QUERY: its answer as it is, without notices of how far it is
ask()
{
	PGOPTIONS="${PGOPTIONS:-} -c client_min_messages=warning" sql -At -F ' ' -c "$1"
}

# wait_until WHAT QUERY: until it answers true.  Each time in a new session,
# which has the settings that the postmaster has now.
wait_until()
{
	local end=$((SECONDS + 60))

	until [ "$(ask "$2")" = t ]; do
		[ "$SECONDS" -lt "$end" ] || die "waited in vain until $1."
		sleep 0.05
	done
}

# set_for_all NAME VALUE: for new sessions, and for the checkpointer, which
# tells the others whether commits are to wait for a standby.  The checkpoint
# is what one can wait for: it comes after the reload.
set_for_all()
{
	ask "ALTER SYSTEM SET $1 = '$2'"
	ask "SELECT pg_reload_conf()" >/dev/null
	wait_until "$1 is '$2'" "SELECT current_setting('$1') = '$2'"
	ask "CHECKPOINT"
}

# start_steady_server SETTING...: no checkpoint, no vacuum
start_steady_server()
{
	start_server "track_wal_io_timing = on" "min_wal_size = 1GB" "max_wal_size = 100GB" \
		"checkpoint_timeout = 1d" "autovacuum = off" "$@"
}

# make_pgbench_database SCALE: in memory, and with WAL files to go on with, so that
# what follows writes commits and nothing else: no page is written for the first
# time after a checkpoint, no WAL file is filled with zeros.
make_pgbench_database()
{
	say "Making the extension and a pgbench database of scale $1."
	sql -c "CREATE EXTENSION commit_stats"
	step pgbench.log "pgbench -i" "$bin/pgbench" -i -q -s "$1"
	make_wal_files
	ask "SELECT count(*) FROM pgbench_accounts" >/dev/null
	load -b simple-update -c 10 -T 8
}

# A checkpoint makes new files of those that it does not need any more, as many
# as min_wal_size says.
make_wal_files()
{
	ask "SELECT count(pg_logical_emit_message(false, '', '')), count(pg_switch_wal())
	     FROM generate_series(1, 48)" >/dev/null
	ask "CHECKPOINT"
}

# Load

# run_load COMMAND...: of pgbench, with the latency of each transaction in a log
run_load()
{
	as_user find "$work/tmp" -name 'latency.*' -delete
	step pgbench.log "pgbench" "$@" --log --log-prefix="$work/tmp/latency"
}

# load OPTION...: the same, of these options
load()
{
	run_load "$bin/pgbench" -n -j "$threads" "$@"
}

# How long its transactions took, in seconds
load_seconds()
{
	awk '/^number of transactions actually processed/ { sub(".*: *", ""); n = $1 + 0 }
	     /^tps = / { tps = $3 }
	     END { print n / tps }' "$work/log/pgbench.log"
}

# load_with DELAY SIBLINGS OPTION...: a run of pgbench with these values of
# commit_delay and commit_siblings, and what commit_stats saw of it: sets
# flushes_per_second, commits_per_flush and hit_fraction, and where the writes
# are counted (throttle.sh), writes_per_second.
load_with()
{
	local options="-c commit_delay=$1 -c commit_siblings=$2" before after

	shift 2
	ask "SELECT commit_stats_reset()" >/dev/null
	before=$(device_writes)
	PGOPTIONS=$options load "$@"
	after=$(device_writes)
	# shellcheck disable=SC2034		# for the caller
	read -r flushes_per_second commits_per_flush hit_fraction writes_per_second <<<"$(ask "
		SELECT round(flushes / seconds, 1), commits_per_flush,
		       round(delay_hits / greatest(flushes, 1)::numeric, 3),
		       round((${after:-NULL} - ${before:-0}) / seconds, 1)
		FROM commit_flush_stats, (SELECT $(load_seconds)::numeric) l (seconds)")"
}

# Writes of the server so far, or nothing where nobody counts them (throttle.sh).
device_writes()
{
	:
}

# sweep_with DELAYS SIBLINGS SECONDS OPTION...: commit_delay_sweep() over these
# lists, while pgbench runs.  Leaves in $work/tmp/sweep, for each pair: delay,
# siblings, commits/s, flushes/s, commits per flush, share of flushes delayed, and
# whether it is the best.
sweep_with()
{
	start_load -j "$threads" -T "$((10 * $3))" "${@:4}"		# longer than any sweep takes
	sleep 1
	ask "SELECT commit_delay, commit_siblings, round(commits_per_second::numeric, 1),
		        round(flushes_per_second::numeric, 1), round(commits_per_flush::numeric, 2),
		        round(delay_hit_share::numeric / 100, 3), is_best
	     FROM commit_delay_sweep('{$1}', '{$2}', '$3 s')" >"$work/tmp/sweep"
	stop_load
}

# latencies PERCENT...: percentiles of the last run, in ms
latencies()
{
	cut -d ' ' -f 3 "$work"/tmp/latency.* | sort -n |
		awk -v percents="$*" '
			{ us[NR] = $1 }
			END {
				n = split(percents, p)
				for (i = 1; i <= n; i++) {
					rank = int((NR * p[i] + 99) / 100)
					printf "%s%.3f", (i > 1 ? " " : ""), us[rank] / 1000
				}
			}'
}

# Results

# join_by SEPARATOR WORD...
join_by()
{
	local separator=$1 first=$2

	shift 2
	printf '%s' "$first" "${@/#/$separator}"
}

# begin_results COLUMN...: each a name and a type of SQL; the last one is the server
begin_results()
{
	result_columns=("$@" "server text")
	{ join_by $'\t' "${result_columns[@]%% *}"; echo; } >"$work/results.tsv"
}

# add_result VALUE...: a row; an empty value is a null
add_result()
{
	set -- "$@" "$pg_version"
	[ $# -eq "${#result_columns[@]}" ] ||
		die "a row of $# values for ${#result_columns[@]} columns."
	{ join_by $'\t' "$@"; echo; } >>"$work/results.tsv"
}

# query_results QUERY...: queries of the table "results", printed.  They have
# middle(), the median, and range() of an array, its lowest and highest.
query_results()
{
	local query options=()

	for query in "$@"; do
		options+=(-c "$query")
	done
	sql -P footer=off -c "
		CREATE TEMP TABLE results ($(join_by ', ' "${result_columns[@]}"));
		CREATE OR REPLACE FUNCTION middle_of(float8[]) RETURNS numeric LANGUAGE sql RETURN
			(SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY v)::numeric FROM unnest(\$1) v);
		CREATE OR REPLACE AGGREGATE middle(float8) (
			sfunc = array_append, stype = float8[], finalfunc = middle_of);
		CREATE OR REPLACE FUNCTION range(float8[], int) RETURNS text LANGUAGE sql RETURN
			(SELECT round(min(v)::numeric, \$2) || '..' || round(max(v)::numeric, \$2)
			 FROM unnest(\$1) v);" \
		-c "\\copy results FROM '$work/results.tsv' WITH (FORMAT csv, DELIMITER E'\t', HEADER)" \
		"${options[@]}"
}

keep_table()
{
	cp "$work/results.tsv" "$results/$experiment.tsv"
	say "What was measured is in bench/results/$experiment.tsv."
}

# A picture is welcome, but no reason not to measure.
keep_results()
{
	local python

	keep_table
	python=$(python_with matplotlib)
	if [ -z "$python" ]; then
		say "No picture was drawn: there is no matplotlib (Debian: python3-matplotlib)."
		return
	fi
	attempt plot.log "Drawing the picture" "$python" "$root/bench/plot.py" "$experiment" \
		"$work/results.tsv" "$results/$experiment.svg"
	say "The picture is in bench/results/$experiment.svg."
}
