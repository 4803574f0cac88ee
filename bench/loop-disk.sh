# loop-disk.sh
#
# A disk of its own for the data of the temporary server, on a loop device with direct
# I/O.  To be sourced after common.sh.
#
#	make_loop_disk GIGABYTES	once, between prepare_experiment and start_server
#
# FILESYSTEM in the environment is ext4 (the default), ext4-nojournal, xfs or btrfs.
# Without a journal, a flush that finds the times of the WAL file changed also writes
# its inode, and a limit on writes allows fewer flushes the further apart they are.
#
# The disk is mounted on the server's data folder; its image is in the work folder,
# full of zeros, so that a write of the server is one write below.  With
# TMPDIR=/dev/shm it is in memory, and no slower at one time than at another.  Needs
# root and loop devices.
#
# The script unmounts and removes the disk when it ends.

# shellcheck shell=bash

filesystem=${FILESYSTEM:-ext4}
loop_device=				# what losetup chose, or empty
loop_mounted=				# set while it is mounted

case $filesystem in
	ext4) make_filesystem=(mkfs.ext4 -q -m 0 -O has_journal) ;;
	ext4-nojournal) make_filesystem=(mkfs.ext4 -q -m 0 -O ^has_journal) ;;
	xfs) make_filesystem=(mkfs.xfs -q) ;;
	btrfs) make_filesystem=(mkfs.btrfs -q) ;;
	*) die "FILESYSTEM is ext4, ext4-nojournal, xfs or btrfs." ;;
esac
case $filesystem in
	# lazy initialization would write during the measurements
	ext4*) make_filesystem+=(-E "lazy_itable_init=0,lazy_journal_init=0") ;;
	xfs) extra_packages+=(xfsprogs) ;;
	btrfs) extra_packages+=(btrfs-progs) ;;
esac

# attach_image GIGABYTES: sets $loop_device
attach_image()
{
	attend dd if=/dev/zero of="$work/disk.img" bs=1M count=$(($1 * 1024)) conv=fsync &&
		loop_device=$(losetup --find --show --direct-io=on "$work/disk.img") &&
		[ "$(losetup --noheadings --output DIO "$loop_device" | tr -d ' ')" = 1 ]
}

mount_disk()
{
	attend "${make_filesystem[@]}" "$loop_device" &&
		mount "$loop_device" "$work/data" && loop_mounted=1 &&
		{ [ ! -d "$work/data/lost+found" ] || rmdir "$work/data/lost+found"; }
}

remove_loop_disk()
{
	local PATH=$PATH:/usr/sbin:/sbin

	if [ -n "$loop_mounted" ]; then
		for _ in {1..20}; do
			! umount "$work/data" 2>/dev/null || break
			sleep 0.1
		done
		! mountpoint -q "$work/data" || umount -l "$work/data"
	fi
	[ -z "$loop_device" ] || losetup -d "$loop_device" ||
		say "$script_name: cannot detach the loop device $loop_device." >&2
}

make_loop_disk()
{
	local PATH=$PATH:/usr/sbin:/sbin

	am_root || die "only root can mount a loop device; LOOP_SIZE=0 takes the disk of TMPDIR."
	[ "$(df --output=avail -k "$work" | tail -n 1)" -gt $((($1 + 1) * 1024 * 1024)) ] ||
		die "$work has no room for $1 GB; set TMPDIR or LOOP_SIZE."
	at_end+=(remove_loop_disk)
	mkdir "$work/data"
	{ attach_image "$1" && mount_disk; } >"$work/log/loop_disk.log" 2>&1 || die_with loop_disk.log \
		"no $filesystem can be mounted from a loop device with direct I/O; LOOP_SIZE=0 takes the disk of TMPDIR."
	say "The data are on a disk of $1 GB of their own: $filesystem on $loop_device with direct I/O."
	chown "$test_user:$test_user" "$work/data"
	chmod 700 "$work/data"
}
