# volume.sh
#
# A volume that queues when its allowance is used up, as several clouds' do:
# volume.c, preloaded into the temporary server, delays fdatasync().  To be sourced
# after common.sh.
#
#	make_volume				once, between prepare_experiment and start_server
#	start_on_volume SETTING...	instead of start_server
#	set_volume RATE BUCKET	RATE flushes/s from now on, after BUCKET flushes at
#							once; the bucket is full.  With 0, each flush takes 1/RATE
#							s, however long there was none
#	lift_volume				as fast as the disk is
#
# Needs a C compiler and Linux, but not root.

# shellcheck shell=bash

# write_volume INTERVAL BUCKET: in ns; the third number says that the bucket is full
write_volume()
{
	# shellcheck disable=SC2016		# for perl
	perl -e 'open(my $file, "+<", shift) or die $!;
		syswrite($file, pack("Q3", @ARGV)) == 24 or die $!' "$work/tmp/volume" "$1" "$2" 0
}

make_volume()
{
	step volume.log "Compiling volume.c" "${CC:-cc}" -O2 -shared -fPIC \
		-o "$work/tmp/volume.so" "$work/src/bench/volume.c" -ldl
	as_user truncate -s 24 "$work/tmp/volume"
	write_volume 0 0
}

# All processes of the server inherit both variables from the first one.
start_on_volume()
{
	export VOLUME_STATE=$work/tmp/volume LD_PRELOAD=$work/tmp/volume.so

	start_steady_server "$@"
	unset VOLUME_STATE LD_PRELOAD
}

# set_volume RATE BUCKET: the processes see it at their next flush
set_volume()
{
	local interval=$((1000000000 / $1))		# ns

	write_volume "$interval" "$(($2 * interval))"
}

lift_volume()
{
	write_volume 0 0
}
