# debian.sh
#
# What the scripts that make another Debian with mmdebstrap share.  They source
# this file after common.sh.

# shellcheck shell=bash

# Small, and fast to unpack.  A mirror may be a copy whose Release files have
# expired; they are signed nevertheless.
debian_options=(
	--variant=apt
	--dpkgopt=force-unsafe-io
	--dpkgopt='path-exclude=/usr/share/'{man,doc,locale,info}'/*'
	--aptopt='APT::Install-Recommends "false"'
	--aptopt='Acquire::Languages "none"'
	--aptopt='Acquire::Check-Valid-Until "false"'
	--aptopt='Acquire::Check-Date "false"'
)

# Prevent Debian's package of the server from creating a cluster.
# shellcheck disable=SC2016			# mmdebstrap's shell is to expand it
debian_options+=(--essential-hook='mkdir -p "$1/etc/postgresql-common" &&
	echo "create_main_cluster = false" >"$1/etc/postgresql-common/createcluster.conf"')

# ... and the user who runs the tests
# shellcheck disable=SC2016
debian_options+=(--customize-hook='chroot "$1" useradd --system --user-group \
	--home-dir /nonexistent --shell /usr/sbin/nologin '"$test_user")

# The mirror that this machine uses, as apt's configuration says.
find_mirror()
{
	local mirror

	# shellcheck disable=SC2016		# apt is to expand it
	mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' |
		awk '!/security/ && !n++')
	[ -n "$mirror" ] || die "apt knows no mirror to get a newer Debian from."
	say "$mirror"
}

# make_debian PACKAGES OPTION...: mmdebstrap's suite, folder and sources, and other
# options.  Namespaces make sure that no mount and no process is left.
make_debian()
{
	attempt mmdebstrap.log "Making the chroot" \
		unshare --mount --pid --fork --kill-child --mount-proc \
		mmdebstrap --mode=root --format=directory "${debian_options[@]}" \
		--include="$1" "${@:2}"
}

# Remove the files that mmdebstrap left, as root of its namespace, to which
# they belong.
remove_debian()
{
	local left

	for left in "$work"/tmp/mmdebstrap.*/*; do
		am_root || [ ! -e "$left" ] ||
			mmdebstrap --unshare-helper rm -rf "$left" 2>/dev/null || :
	done
}
