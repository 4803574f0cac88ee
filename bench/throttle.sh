# throttle.sh
#
# A disk with a limit of writes per second, as a cloud volume has: the
# temporary server joins a control group whose writes the kernel limits.  To be
# sourced after common.sh.
#
#	group_server		once, right after start_server: the group counts all
#						writes of the server from then on
#	limit_writes N		at most N writes/s from now on, if that works here
#	lift_limit			as fast as the disk is
#	say_limit			the limit in words
#	device_writes		writes of the group so far
#	limit_cpu PERCENT	of one processor at most, from now on, for the server: as a
#						container's limit (control groups of version 1 only)
#	lift_cpu
#
# Needs root, a kernel with control groups of version 1 (blkio) or 2 (io), and a
# block device below the work folder.  If one is missing, limit_writes says so, the
# experiment goes on without a limit, and $write_limit, which belongs into the
# results, is empty.
#
# The limit applies to requests to the disk.  Unless the disk has no cache that has
# to be flushed, a WAL flush is two requests: the write of the data, and the flush.
#
# The group, and all that was set up for it, is removed when the script ends.

# shellcheck shell=bash

group=						# folder of the control group
group_version=				# 1 or 2
group_disk=					# the disk's number, MAJOR:MINOR
hierarchy=					# folder of the hierarchy of groups that it is in
group_switch=				# file that switches controllers on and off
group_controllers=			# those that we switched on, or empty
write_limit=				# writes/s, or empty
unthrottled_because=		# why there can be no limit, or empty
limit_tried=				# set when the effect of a limit was measured
cpu_group=					# folder of the one that limits its processors, or empty

# disk_of FOLDER: the number of the whole disk that it is on.  An overlay's files
# are on the disk of its upper folder, and a file system across several devices
# has a number that is none of theirs.
disk_of()
{
	local folder=$1 number device

	if [ "$(findmnt -n -o FSTYPE -T "$folder")" = overlay ]; then
		folder=$(findmnt -n -o OPTIONS -T "$folder" | sed -n 's/.*upperdir=\([^,]*\).*/\1/p')
		[ -d "$folder" ] || return 1
	fi
	number=$(findmnt -n -o MAJ:MIN -T "$folder" | tr -d ' ')
	if [ ! -e "/sys/dev/block/$number" ]; then
		device=$(findmnt -n -v -o SOURCE -T "$folder")
		[ -b "$device" ] || return 1
		number=$(lsblk -n -d -o MAJ:MIN "$device" | tr -d ' ')
	fi
	# only whole disks can be limited
	[ ! -e "/sys/dev/block/$number/partition" ] ||
		number=$(cat "/sys/dev/block/$number/../dev")
	printf '%s' "$number"
}

# Version 2 with the io controller, and with that of memory: without it the kernel does
# not know whose pages are written.
has_version_2()
{
	local controller

	hierarchy=$(findmnt -n -t cgroup2 -o TARGET | head -n 1)
	[ -n "$hierarchy" ] || return 1
	group_switch=$hierarchy/cgroup.subtree_control
	for controller in memory io; do
		grep -qw "$controller" "$hierarchy/cgroup.controllers" || return 1
	done
	for controller in memory io; do
		! grep -qw "$controller" "$group_switch" || continue
		{ echo "+$controller" >"$group_switch"; } 2>/dev/null || return 1
		group_controllers="$controller $group_controllers"
	done
}

find_hierarchy()
{
	group_version=2
	! has_version_2 || return 0
	group_version=1
	hierarchy=$(findmnt -n -t cgroup -O blkio -o TARGET | head -n 1)
	[ -n "$hierarchy" ]
}

# make_group: sets $group, or $unthrottled_because
make_group()
{
	at_end+=(remove_group)
	if ! am_root; then
		unthrottled_because="only root can limit a disk"
	elif ! group_disk=$(disk_of "$work/data"); then
		unthrottled_because="$work is on no disk that can be limited; set TMPDIR to a folder that is"
	elif ! find_hierarchy; then
		unthrottled_because="this machine has no control groups with the controller blkio (version 1) or io (version 2)"
	elif ! mkdir "$hierarchy/commit_stats.$$" 2>/dev/null; then
		unthrottled_because="no control group can be made in $hierarchy"
	else
		group=$hierarchy/commit_stats.$$
		set_limit none 2>/dev/null ||
			unthrottled_because="the kernel cannot limit the disk $group_disk"
	fi
}

# set_limit N|none
set_limit()
{
	case $group_version in
		1) echo "$group_disk ${1/none/0}" >"$group/blkio.throttle.write_iops_device" ;;
		2) echo "$group_disk wiops=${1/none/max}" >"$group/io.max" ;;
	esac
}

# move_server FOLDER: into this group; the postmaster first: who is born later is born
# into the group
move_server()
{
	local pid postmaster

	postmaster=$(head -n 1 "$work/data/postmaster.pid")
	for pid in "$postmaster" $(ask "SELECT pid FROM pg_stat_activity WHERE pid <> pg_backend_pid()"); do
		{ echo "$pid" >"$1/cgroup.procs"; } 2>/dev/null || [ ! -e "/proc/$pid" ] || return 1
	done
}

group_server()
{
	make_group
	[ -z "$unthrottled_because" ] || return 0
	move_server "$group" ||
		unthrottled_because="the server cannot be moved into a control group"
}

limit_cpu()
{
	cpu_group=$(findmnt -n -t cgroup -O cpu -o TARGET | head -n 1)/commit_stats.$$
	[ -d "$cpu_group" ] || mkdir "$cpu_group" || die "this machine cannot limit processors."
	echo $((1000 * $1)) >"$cpu_group/cpu.cfs_quota_us"
	move_server "$cpu_group"
}

lift_cpu()
{
	[ -z "$cpu_group" ] || echo -1 >"$cpu_group/cpu.cfs_quota_us"
}

device_writes()
{
	case ${unthrottled_because:+none}$group_version in
		1) awk -v disk="$group_disk" '$1 == disk && $2 == "Write" { n = $3 } END { print n + 0 }' \
			"$group/blkio.throttle.io_serviced" ;;
		2) sed -n "s/^$group_disk .*wios=\([0-9]*\).*/\1/p" "$group/io.stat" ;;
	esac
}

# in_group COMMAND...
in_group()
{
	# shellcheck disable=SC2016		# for the other shell
	attend bash -c 'echo $$ >"$0/cgroup.procs" && exec "$@"' "$group" "$@" \
		>>"$work/log/throttle.log" 2>&1 || die_with throttle.log "writing failed."
}

# synced_writes N: writes a page N times and waits for each; prints how often
# that was done in a second.  The data folder can be a disk of its own.
synced_writes()
{
	local file=$work/data/throttle began

	in_group dd if=/dev/zero of="$file" bs=8k count="$1" conv=fsync
	began=${EPOCHREALTIME/./}
	in_group dd if=/dev/zero of="$file" bs=8k count="$1" oflag=dsync conv=notrunc
	echo $((1000000 * $1 / (${EPOCHREALTIME/./} - began)))
	rm "$file"
}

# Once: does a limit have an effect?
try_limit()
{
	local limited

	limit_tried=1
	[ -z "$unthrottled_because" ] || return 0
	set_limit 200
	limited=$(synced_writes 100)
	set_limit none
	say "The disk $group_disk: $limited synced writes/s with a limit of 200, $(synced_writes 500) without."
	[ "$limited" -le 300 ] || unthrottled_because="a limit has no effect"
}

limit_writes()
{
	[ -n "$limit_tried" ] || try_limit
	if [ -n "$unthrottled_because" ]; then
		say "The disk is not limited to $1 writes/s: $unthrottled_because.
What follows is measured without a limit."
		return 0
	fi
	set_limit "$1" || die "cannot limit the disk $group_disk."
	write_limit=$1
}

lift_limit()
{
	[ -z "$write_limit" ] || set_limit none
	write_limit=
}

say_limit()
{
	if [ -n "$write_limit" ]; then
		say "at most $write_limit writes/s"
	else
		say "no limit on the disk's writes"
	fi
}

# When all that was in the group has ended
remove_group()
{
	local controller folder

	for folder in $group $cpu_group; do
		for _ in {1..20}; do
			! rmdir "$folder" 2>/dev/null || break
			sleep 0.1
		done
		[ ! -e "$folder" ] || say "$script_name: cannot remove the control group $folder." >&2
	done
	for controller in $group_controllers; do
		echo "-$controller" >"$group_switch" || :
	done
}
