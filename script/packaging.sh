# packaging.sh
#
# What the scripts that build packages share.  They source this file after
# common.sh.

# shellcheck shell=bash

# To $work/src, and unpacked to $tree.  "make dist" packs the last commit.  So
# commit all files of the checkout, in a repository of their own.
make_archive()
{
	local git=(git -C "$work/src" -c user.name=package -c user.email=)

	say "Making the archive for PGXN."
	step git.log "git init" "${git[@]}" init
	step git.log "git add" "${git[@]}" add --all
	step git.log "git commit" "${git[@]}" commit -m "What is in the checkout"
	step dist.log "make dist" make -C "$work/src" dist
	step unzip.log "Unpacking the archive" unzip "$work/src/commit_stats-*.zip" -d "$work/build"
	tree=$(echo "$work"/build/commit_stats-*)
}

# The archive and the Debian packages, to $packages.  Another Debian may have
# other versions of PostgreSQL than debian/control says.
build_packages()
{
	local version upstream

	version=$(dpkg-parsechangelog -l "$work/src/debian/changelog" -S Version)
	upstream=${version%-*}
	grep -qxF "default_version = '$upstream'" "$tree/commit_stats.control" ||
		die "debian/changelog has version $upstream, commit_stats.control another one."
	say "Building version $version of the Debian packages."
	step tar.log "Packing the sources" \
		tar -C "$work/build" -czf "$work/build/commit-stats_$upstream.orig.tar.gz" "${tree##*/}"
	step copy.log "Adding debian/" cp -r "$work/src/debian" "$tree"
	step control.log "Writing debian/control" env -C "$tree" pg_buildext updatecontrol
	step build.log "Building the packages" env -C "$tree" dpkg-buildpackage -us -uc
	step mkdir.log "Collecting the packages" mkdir "$packages"
	step mv.log "Collecting the packages" \
		mv -t "$packages" "$work/src"/*.zip "$work/build"/*"_$upstream"*
}
