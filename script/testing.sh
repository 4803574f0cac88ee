# testing.sh
#
# What the scripts that run tests share: they call make installcheck and count
# test files.  Scripts source this file after common.sh.

# shellcheck shell=bash

passed=0
failed=0
skipped=0
failures=()					# kinds of test that failed

# show_and_log LOG COMMAND...: with its output on the screen and in the log
show_and_log()
{
	# shellcheck disable=SC2016		# not to be expanded here
	attend as_user bash -c 'set -o pipefail; "$@" 2>&1 | tee "$0"' "$work/log/$1" "${@:2}"
}

# installcheck LOG VARIABLE=VALUE...
installcheck()
{
	show_and_log "$1" make -s --no-print-directory -C "$work/src" PG_CONFIG="$pg_config" \
		installcheck "${make_variables[@]}" "${@:2}"
}

# count KIND STATUS TOTAL FAILED [SKIPPED]: a run that failed without naming a
# test did not reach its end, and counts as one failed test; so does one that has
# run no test.
count()
{
	local kind=$1 status=$2 total=$3 bad=$4 skip=${5:-0}

	if [ "$status" -ne 0 ] || [ "$total" -eq 0 ]; then
		failures+=("$kind")
		bad=$((bad > 0 ? bad : 1))
		total=$((total > 0 ? total : 1))
	fi
	passed=$((passed + total - bad - skip))
	failed=$((failed + bad))
	skipped=$((skipped + skip))
}

# is WHAT HAVE WANT: one test, which shows lines that differ
is()
{
	local status=0

	diff <(printf '%s\n' "$3") <(printf '%s\n' "$2") || status=1
	if [ "$status" -eq 0 ]; then
		say "ok - $1"
	else
		say "not ok - $1 (< is what was wanted)"
	fi
	count "$1" "$status" 1 "$status"
}

# failed_assertions LOG: the failures in the log of a TAP test: each
# "not ok" with the last notes before it and the diagnostics after it,
# including those of subtests.  Lines of the test begin with the time, except
# further lines of the same diagnostic; lines that commands print into the log
# do not.
failed_assertions()
{
	awk -v most=60 '
		function say(line) { if (++lines <= most) print "    " line }
		{ said = sub(/^\[[0-9:.]+\]\([0-9.]+s\) ?/, "") }
		/^ *# Subtest: / { n = failing = 0; notes[n++] = $0; next }
		/^ *not ok / {
			for (i = (n > 4 ? n - 4 : 0); i < n; i++) say(notes[i])
			n = 0; failing = 1; say($0); next
		}
		/^ *#/ && failing { if (said || /^ *#  /) say($0); next }
		/^ *#/ && said { notes[n++] = $0 }
		/[^ ]/ { failing = 0 }
		END { if (lines > most) print "    ... and " lines - most " lines more" }
	' "$1"
}

tap_logs=					# folder of the logs of TAP tests and of their servers

# Show the failures of a TAP test, and the end of its log and of its servers'
# logs.
show_tap_logs()
{
	local test=${1##*/} log what=

	log=$tap_logs/regress_log_$test
	[ ! -f "$log" ] || what=$(failed_assertions "$log")
	if [ -n "$what" ]; then
		heading "What failed in $test:"
		say "$what"
	fi
	for log in "$tap_logs"/*"$test"*; do
		[ -s "$log" ] || continue
		say ""
		say "The last lines of $(basename "$log"):"
		tail -n 30 "$log" | sed 's/^/    /'
	done
}

# A PostgreSQL that was built without TAP tests uses Debian's Perl modules.
borrow_tap_modules()
{
	local dir

	[ ! -d "$(dirname "$("$pg_config" --pgxs)")/../test/perl" ] || return 0
	for dir in /usr/lib/postgresql/*/lib/pgxs/src/test/perl; do
		[ ! -d "$dir" ] || export PERL5LIB=$dir
	done
	tap_options=(enable_tap_tests=yes PROVE=prove)
	# older modules do not know what newer makefiles call the test folder
	export TESTDIR=$work/src
}

# failed_taps LOG: the TAP tests that failed, by the summary of prove, which also
# names those of which more passed than was expected.
failed_taps()
{
	awk '/^t\/[^ ]+\.pl +\(Wstat: / {
			name = $1; gsub(/^t\/|\.pl$/, "", name)
			failed = !/\(Wstat: 0 /
			if (failed) print name
			next
		}
		/^  Parse errors:/ && !failed { print name; failed = 1 }' "$1"
}

# count_taps KIND STATUS LOG: what prove says there, and the logs of those that
# failed
count_taps()
{
	local log=$work/log/$3 bad total skip test

	mapfile -t bad < <(failed_taps "$log")
	total=$(sed -n 's/^Files=\([0-9]*\),.*/\1/p' "$log")
	# a test that dies before its first assertion is called skipped as well
	skip=$(sed -nE 's,^(\[[0-9:]+\] )?t/([^ ]+)\.pl \.+ *skipped: .*,\2,p' "$log" |
		grep -cvxF "$(printf '%s\n' "${bad[@]}")" || :)
	for test in "${bad[@]}"; do
		show_tap_logs "$test"
	done
	count "$1" "$2" "${total:-0}" "${#bad[@]}" "$skip"
}

# count_regress KIND STATUS LOG FOLDER: what pg_regress or its twin for isolation
# tests says there, and the differences, which are in the folder
count_regress()
{
	local counts diffs=$4/regression.diffs

	# "All 3 tests passed." or "1 of 3 tests failed.", from 16 on after a "#"
	counts=$(sed -nE 's/^[# ]*All ([0-9]+) tests passed.*/\1 0/p
		s/^[# ]*([0-9]+) of ([0-9]+) tests failed.*/\2 \1/p' "$work/log/$3")
	# shellcheck disable=SC2086		# two numbers
	count "$1" "$2" ${counts:-0 0}
	if [ "$2" -ne 0 ] && [ -s "$diffs" ]; then
		heading "What differs (the first 300 lines):"
		head -n 300 "$diffs"
	fi
}

# run_tap VARIABLE=VALUE...: run the TAP tests of PROVE_TESTS.
run_tap()
{
	local status=0 tap_options=() tap_logs=$work/src/tmp_check/log

	borrow_tap_modules
	set -- REGRESS= ISOLATION= "$@" "${tap_options[@]}"
	installcheck tap.log "$@" || status=$?
	count_taps TAP "$status" tap.log
}

# TAP tests copy this cluster: initdb takes longer than many a test.
make_template()
{
	export INITDB_TEMPLATE=$work/template
	step template.log "Creating a database cluster to copy" \
		"$bin/initdb" -D "$INITDB_TEMPLATE" -A trust -N
}

# TAP tests that take longer than others of their size
slow='/(remedies_live|stalls|adaptive_spacing|adaptive_cleanup|sweep_cleanup|sweep_arithmetic'
slow+='|crash_under_load|counts_equal_system_calls|sweep_adaptive'
slow+='|flush_detection_sync_methods|persist_damage|adaptive_standby|adaptive_commits)[.]pl$'

# run_taps TEST...: TAP tests mostly wait, for the disk or for sleeps that they
# ordered, so several run at a time, slow ones first, then long files: they
# tend to take long.
run_taps()
{
	local tests

	make_template
	# shellcheck disable=SC2012		# names of tests
	tests=$(cd "$work/src" && ls -S "$@" |
		awk -v slow="$slow" '$0 ~ slow { print; next } { rest = rest $0 "\n" }
			END { printf "%s", rest }' | tr '\n' ' ')
	run_tap PROVE_TESTS="$tests" PROVE_FLAGS="--timer -j$((4 * $(nproc)))"
}

# report SUCCESS: print the result, and SUCCESS if nothing failed
report()
{
	say ""
	[ "$skipped" -eq 0 ] || say "Skipped test files: $skipped; prove says above why."
	if [ "$failed" -gt 0 ]; then
		say "Tests failed: ${failures[*]}. What they printed is above."
	elif [ "$passed" -eq 0 ]; then
		say "No test was run."
	else
		say "$1"
	fi
	say "$passed passed, $failed failed"
	if [ "$failed" -gt 0 ] || [ "$passed" -eq 0 ]; then
		exit 1
	fi
}
