# volume.sh
#
# Volumes as several clouds have them: volume.c, preloaded into the temporary server,
# delays fdatasync().  To be sourced after common.sh.
#
#	make_volume				once, between prepare_experiment and start_server
#	on_volume COMMAND...	starts the server
#	set_volume RATE BUCKET [US]	queues: RATE flushes/s from now on, after BUCKET flushes
#							that take US (0) us each; the bucket is full.  With 0,
#							each flush takes 1/RATE s, however long there was none
#	set_flush_time US TAIL [QUOTA MS]	each flush takes about US us; with TAIL 1, some
#							take 5 or 20 times as long.  QUOTA flushes in each window
#							of MS ms: the next one waits for the next window
#	lift_volume				as fast as the disk is
#
# The processes see a change at their next flush.  Needs a C compiler and Linux, but
# not root.

# shellcheck shell=bash

# write_volume INTERVAL BUCKET [FLUSH_TIME TAIL QUOTA WINDOW]: times in ns; the bucket
# is full, and no flush has used the window
write_volume()
{
	# shellcheck disable=SC2016		# for perl
	perl -e 'open(my $file, "+<", shift) or die $!;
		syswrite($file, pack("Q9", @ARGV)) == 72 or die $!' \
		"$work/tmp/volume" "$1" "$2" 0 0 "${3:-0}" "${4:-0}" "${5:-0}" "${6:-0}" 0
}

make_volume()
{
	step volume.log "Compiling volume.c" "${CC:-cc}" -O2 -shared -fPIC \
		-o "$work/tmp/volume.so" "$work/src/bench/volume.c" -ldl
	as_user truncate -s 72 "$work/tmp/volume"
	lift_volume
}

# All processes of the server inherit both variables from the first one.
on_volume()
{
	local -x VOLUME_STATE=$work/tmp/volume LD_PRELOAD=$work/tmp/volume.so

	"$@"
}

set_volume()
{
	local interval=$((1000000000 / $1))		# ns

	write_volume "$interval" "$(($2 * interval))" "$((${3:-0} * 1000))"
}

set_flush_time()
{
	write_volume 0 0 "$(($1 * 1000))" "$2" "${3:-0}" "$((${4:-0} * 1000000))"
}

lift_volume()
{
	write_volume 0 0
}
