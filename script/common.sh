# common.sh
#
# What the scripts share: everything from a fresh clone to a running server
# with the extension, and the cleanup.  bash scripts source this file, and then
# call
#
#	set_up				packages, user, work folder, sources, private server
#	build_and_install	compile, and install into the private server
#	start_server		a throwaway server with the extension preloaded
#
# and work with step, sql, attend and as_user, in the work folder, which set_up
# makes the current one.
#
# However a script ends, finish() ends all processes and removes the work
# folder.
#
# All files are in the work folder:
#
#	$work/src		the tracked files as they are in the checkout now, and
#					what is built from them
#	$work/server	a private copy of the PostgreSQL installation
#	$work/data		the throwaway server's data, $work/socket its socket
#	$work/log		what each step printed
#	$work/tmp		temporary files of everything we run
#
# So a script only reads the checkout and the installed PostgreSQL, and two
# runs do not see each other.
#
# Scripts work as root and as an ordinary user; those that test end with the line
# "N passed, N failed", which counts test files.
#
# Only root installs packages.  PostgreSQL does not run as root.  So if root
# starts a script, the system user $test_user runs everything else.  The script
# creates this user if it does not exist, and leaves it.
#
# PG_CONFIG chooses another PostgreSQL than Debian's, TMPDIR another place for
# the work folder than /var/tmp.

set -eEuo pipefail

script_name=$(basename "$(cd "$(dirname "$0")" && pwd)")/$(basename "$0")
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
test_user=commit_stats_test

pg_config=${PG_CONFIG:-}	# of the PostgreSQL to use; later of the private one
bin=						# where the programs of the private server are
work=						# the work folder
make_variables=(with_llvm=no)	# bitcode for the JIT: packages have it, no test needs it
instance=					# which of several servers: ends the names of its files
extra_packages=()			# Debian packages that only this script needs
tools_only=					# set where these are all: neither compiler nor server
running=					# process group of the command that is running
patience=5					# seconds that it is given to end
unfinished=					# folder outside of $work to be removed as well
passing=()					# passing changes of the system, see install_packages()
at_end=()					# functions to call when all our processes have ended

# The caller's environment variables of PostgreSQL, git, make and prove are for
# other servers, repositories and runs.
unset "${!PG@}" "${!GIT_@}" MAKEFLAGS MFLAGS MAKELEVEL PROVE_FLAGS PROVE_TESTS CDPATH
export LC_ALL=C

say()
{
	printf '%s\n' "$*"
}

# heading TEXT: below an empty line
heading()
{
	printf '\n%s\n' "$1"
}

die()
{
	printf '%s: %s\n' "$script_name" "$*" >&2
	exit 1
}

# usage ARGUMENTS: for arguments that make no sense
usage()
{
	printf 'usage: %s %s\n' "$script_name" "$1" >&2
	exit 2
}

# is_count VALUE: a number above zero that arithmetic can work with
is_count()
{
	[[ $1 =~ ^[1-9][0-9]{0,8}$ ]]
}

# python_with MODULE: the first Python of the PATH, or Debian's, if it has the
# module
python_with()
{
	local python

	for python in python3 /usr/bin/python3; do
		! "$python" -c "import $1" >/dev/null 2>&1 || { say "$python"; return; }
	done
}

am_root()
{
	[ "$(id -u)" -eq 0 ]
}

# Run a command as a user whom PostgreSQL accepts.
as_user()
{
	if am_root; then
		setpriv --reuid "$test_user" --regid "$test_user" --init-groups -- "$@"
	else
		"$@"
	fi
}

# Run a command in a process group of its own, and wait for it.
#
# A signal interrupts a shell that waits at once, but one with a command in the
# foreground only after that command.  finish() then ends the process group.
attend()
{
	local status=0

	set -m
	"$@" </dev/null 3>&- &
	running=$!
	set +m
	wait "$running" || status=$?
	running=
	return "$status"
}

# show_log NAME: the end of what a step printed.
show_log()
{
	[ -s "$work/log/$1" ] || return 0
	say "The last lines of $1:" >&2
	tail -n "${2:-30}" "$work/log/$1" | sed 's/^/    /' >&2
}

# die_with LOG MESSAGE: the same, before the message
die_with()
{
	show_log "$1"
	die "$2"
}

# attempt LOG WHAT COMMAND...: run a command with its output in this log, and if it
# fails, say that WHAT failed and why.
attempt()
{
	attend "${@:3}" >"$work/log/$1" 2>&1 || die_with "$1" "$2 failed."
}

# step LOG WHAT COMMAND...: the same as a user whom PostgreSQL accepts
step()
{
	attempt "$1" "$2" as_user "${@:3}"
}

# run_logged COMMAND...: run a command with its output on the screen and in the
# log run.log.  tee lives until the command has said its last word.
run_logged()
{
	# shellcheck disable=SC2016		# not to be expanded here
	attend bash -c 'set -o pipefail
		"$@" 2>&1 | (trap "" HUP INT TERM; exec tee "$0")' "$work/log/run.log" "$@"
}

# Cleanup

# Ask the processes of a group to end, and do not ask twice.
end_group()
{
	local i

	kill -TERM -- "-$1" 2>/dev/null || return 0
	for ((i = 0; i < 10 * patience; i++)); do
		kill -0 -- "-$1" 2>/dev/null || return 0
		sleep 0.1
	done
	kill -KILL -- "-$1" 2>/dev/null || :
}

# End the processes that are left.  All in the work folder are ours: servers,
# also those of interrupted TAP tests, and what ran in the background.  SIGQUIT
# is PostgreSQL's immediate shutdown, which may take 5 s, and ends most other
# programs as well.
end_stragglers()
{
	local signal pids

	for signal in QUIT QUIT QUIT QUIT QUIT QUIT QUIT QUIT QUIT QUIT QUIT QUIT TERM KILL; do
		pids=$(find /proc -mindepth 2 -maxdepth 2 -name cwd \
			\( -lname "$work" -o -lname "$work/*" \) 2>/dev/null | cut -d/ -f3)
		[ -n "$pids" ] || return 0
		# shellcheck disable=SC2086		# a list of numbers
		kill -s "$signal" $pids 2>/dev/null || :
		sleep 0.5
	done
}

# The handler of every exit.
finish()
{
	local status=$? undo

	trap - ERR EXIT
	trap '' HUP INT PIPE TERM
	set +e
	[ -z "$running" ] || end_group "$running"
	undo_passing_changes
	[ -z "$unfinished" ] || rm -rf --one-file-system "$unfinished"
	if [ -n "$work" ]; then
		cd /
		end_stragglers
		for undo in "${at_end[@]}"; do
			"$undo"
		done
		rm -rf "$work" 2>/dev/null || { sleep 1; rm -rf "$work"; }
	fi
	exit "$status"
}

interrupted()
{
	say "$script_name: interrupted, cleaning up" >&3
	exit "$1"
}

exec 3>&2					# stderr may lead to a log at the moment of a trap
trap finish EXIT
trap 'say "$script_name: \"$BASH_COMMAND\" failed." >&3' ERR
trap 'interrupted 129' HUP
trap 'interrupted 130' INT
trap 'exit 141' PIPE
trap 'interrupted 143' TERM

# Work folder, packages, user

# The folder is on /var/tmp because /tmp is memory on many systems, and the
# demo is to show flushes to a disk.  make does not work in a path with a
# space.
make_work_folder()
{
	local parent=${TMPDIR:-/var/tmp}

	case $parent in
		/*[!-A-Za-z0-9_./+]* | [!/]*) parent=/var/tmp ;;
	esac
	work=$(mktemp -d "$parent/commit_stats.XXXXXX") ||
		die "cannot make a folder in $parent; set TMPDIR to one that can be written to."
	mkdir "$work/log" "$work/tmp" "$work/src" "$work/server"
}

# The newest PostgreSQL that is installed together with its headers.
installed_version()
{
	local dir

	for dir in /usr/lib/postgresql/*; do
		[ ! -x "$dir/bin/postgres" ] || [ ! -d "$dir/lib/pgxs" ] || basename "$dir"
	done | sort -n | tail -n 1
}

# The PostgreSQL of this Debian, if apt knows its packages.
debian_version()
{
	{ apt-cache depends postgresql 2>/dev/null || :; } |
		sed -n 's/^ *Depends: postgresql-\([0-9]*\)$/\1/p'
}

# The packages that we need, except those that are there.
missing_packages()
{
	local package version
	local needed=("${extra_packages[@]}")

	[ -n "$tools_only" ] || needed+=(make gcc libc6-dev perl libipc-run-perl)
	if [ -z "$pg_config$tools_only" ]; then
		version=$(installed_version)
		version=${version:-$(debian_version)}
		if [ -n "$version" ]; then
			needed+=("postgresql-$version" "postgresql-server-dev-$version")
		else
			needed+=(postgresql postgresql-server-dev-all)
		fi
	fi
	for package in "${needed[@]}"; do
		dpkg-query -W -f '${db:Status-Status}\n' "$package" 2>/dev/null |
			grep -qx installed || printf '%s ' "$package"
	done
}

# Debian's package would create a database cluster and start a server.  A
# setting of postgresql-common prevents that during the installation.
forbid_cluster()
{
	local settings=/etc/postgresql-common/createcluster.d

	passing+=("$settings/commit_stats.conf")
	[ -d "$settings" ] || passing+=("$settings")
	mkdir -p "$settings"
	echo 'create_main_cluster = false' >"$settings/commit_stats.conf"
}

# Packages of servers would start them.
forbid_services()
{
	local policy=/usr/sbin/policy-rc.d

	[ ! -e "$policy" ] || return 0
	passing+=("$policy")
	printf '#!/bin/sh\nexit 101\n' >"$policy"
	chmod 755 "$policy"
}

undo_passing_changes()
{
	[ "${#passing[@]}" -eq 0 ] || rm -df "${passing[@]}" || :
	passing=()
}

# As root: install missing packages.  A signal can interrupt the download, but
# not dpkg (setsid), which would need repair by hand.
install_packages()
{
	local missing get=(apt-get -q -y --no-install-recommends install)

	attempt apt.log "apt-get update" apt-get -q update
	missing=$(missing_packages)		# now that apt knows the version
	say "Installing Debian packages, which takes a minute: $missing"
	export DEBIAN_FRONTEND=noninteractive
	# shellcheck disable=SC2086		# a list of names
	attempt apt.log "Fetching $missing with apt-get" "${get[@]}" --download-only $missing
	forbid_services
	case " $missing" in
		*" postgresql-"[0-9]*) forbid_cluster ;;
	esac
	# shellcheck disable=SC2086		# a list of names
	setsid -w "${get[@]}" $missing >"$work/log/apt.log" 2>&1 </dev/null 3>&- ||
		die_with apt.log "apt-get install $missing failed."
	undo_passing_changes
}

# Without dpkg, PG_CONFIG must be set, and the caller must have installed the
# rest.
ensure_packages()
{
	local missing

	command -v dpkg-query >/dev/null || return 0
	missing=$(missing_packages)
	[ -n "$missing" ] || return 0
	am_root || die "some Debian packages are missing. Install them as root with
    apt-get update && apt-get install --no-install-recommends $missing
and run $script_name again."
	alone install_packages
}

# alone COMMAND...: one run at a time changes the system
alone()
{
	exec 9</var/lib
	flock 9
	"$@" 9<&-
	exec 9<&-
}

ensure_user()
{
	id "$test_user" >/dev/null 2>&1 && return
	useradd --system --user-group --home-dir /nonexistent \
		--shell /usr/sbin/nologin "$test_user" ||
		die "cannot create the system user $test_user."
}

prepare_system()
{
	ensure_packages
	am_root || return 0
	alone ensure_user
	chown -R "$test_user:$test_user" "$work"
	as_user test -x "$work/tmp" ||
		die "the user $test_user cannot reach $work; set TMPDIR to another place."
}

# Sources and server

# Copy the tracked files, with the changes that are not committed yet.  Without
# git, as in an unpacked tarball, that is all files.
copy_sources()
{
	local git=(git -C "$root" -c "safe.directory=*") files=$work/tmp/files file

	if "${git[@]}" rev-parse --git-dir >/dev/null 2>&1; then
		"${git[@]}" ls-files -z
	else
		(cd "$root" && find . -type f -print0)
	fi | while IFS= read -r -d '' file; do
		# a tracked file may have been deleted
		[ ! -e "$root/$file" ] || printf '%s\0' "$file"
	done >"$files" || die "cannot list the files of $root."

	tar -C "$root" --null -T "$files" -cf - |
		as_user tar -C "$work/src" --no-same-owner -xf - ||
		die "cannot copy the files of $root."
}

find_pg_config()
{
	local version

	if [ -z "$pg_config" ]; then
		version=$(installed_version)
		pg_config=${version:+/usr/lib/postgresql/$version/bin/}pg_config
	fi
	command -v "$pg_config" >/dev/null ||
		die "there is no $pg_config; set PG_CONFIG to the pg_config of a PostgreSQL server."
	pg_config=$(realpath -s "$(command -v "$pg_config")")
	pg_version=$("$pg_config" --version)
}

# copy_server FOLDER: make a private copy of the PostgreSQL installation there,
# and use that from now on.
#
# PostgreSQL's programs find all other files relative to their own path.  So
# copies of them, beside links to all else, are an installation of their own.
# Its pg_config leads make install and make installcheck there.
copy_server()
{
	local copy=$1 dir bindir libdir

	bindir=$("$pg_config" --bindir)
	bin=$copy$bindir
	as_user mkdir -p "$bin"
	as_user cp -r "$bindir/." "$bin"
	# make install writes into these folders; the tests must not find a
	# commit_stats that was installed before
	for dir in $("$pg_config" --pkglibdir --sharedir); do
		as_user mkdir -p "$copy$dir"
		as_user cp -rs "$dir/." "$copy$dir"
		as_user find "$copy$dir" -mindepth 1 -name 'commit_stats*' -prune -exec rm -r {} +
	done
	# make install only reads these folders; one can be inside another
	for dir in $("$pg_config" --includedir --pkgincludedir --includedir-server); do
		[ -e "$copy$dir" ] && continue
		as_user mkdir -p "$(dirname "$copy$dir")"
		as_user ln -s "$dir" "$copy$dir"
	done
	# libpq and its like; Debian has them among the libraries of the system
	libdir=$("$pg_config" --libdir)
	as_user mkdir -p "$copy$libdir"
	as_user find "$libdir" -maxdepth 1 -name 'lib*' ! -type d \
		-exec ln -sf -t "$copy$libdir" {} +
	use_own_libpq "$libdir" "$copy$libdir"
	pg_config=$bin/pg_config
}

# use_own_libpq LIBDIR COPY: programs of a PostgreSQL that was moved after its
# build, as script/prepare-server does, look for libpq in its old place, and
# would silently take the system's libpq of another version.
use_own_libpq()
{
	local known

	[ -e "$1/libpq.so.5" ] || return 0
	known=$(PATH=$PATH:/usr/sbin:/sbin ldconfig -p | sed -n 's/.*libpq\.so\.5 .*=> //p')
	# shellcheck disable=SC2086		# a list of paths
	{ [ -z "$known" ] || realpath $known; } | grep -xF "$(realpath "$1/libpq.so.5")" >/dev/null ||
		export LD_LIBRARY_PATH=$2
}

# Copy the sources to the work folder, and make it the current one.
enter_work_folder()
{
	export TMPDIR=$work/tmp HOME=$work
	cd "$work"
	copy_sources
}

set_up()
{
	make_work_folder
	prepare_system
	find_pg_config
	enter_work_folder
	copy_server "$work/server"
}

# build_and_install [VARIABLE=VALUE...]: variables for make
build_and_install()
{
	say "Compiling commit_stats for $pg_version."
	step make.log "Compiling" \
		make -s -C "$work/src" -j "$(nproc)" PG_CONFIG="$pg_config" \
		"${make_variables[@]}" "$@"
	step install.log "Installing into the private server" \
		make -s -C "$work/src" PG_CONFIG="$pg_config" \
		"${make_variables[@]}" "$@" install
}

# init_cluster FOLDER
init_cluster()
{
	step initdb.log "Creating a database cluster" \
		"$bin/initdb" -D "$1" -U postgres -A trust -N --no-locale -E UTF8
}

# make_cluster [SETTING...]: lines for postgresql.conf
#
# Only its socket leads to the server, and PGHOST leads to the socket.
make_cluster()
{
	export PGHOST=$work/socket$instance PGUSER=postgres PGDATABASE=postgres

	as_user mkdir -p "$PGHOST"
	init_cluster "$work/data$instance"
	printf '%s\n' "listen_addresses = ''" \
		"unix_socket_directories = '$PGHOST'" \
		"log_line_prefix = '%m [%p] '" \
		"shared_preload_libraries = 'commit_stats'" \
		"$@" >>"$work/data$instance/postgresql.conf"
}

# start_server [SETTING...]: with these settings
start_server()
{
	say "Starting a throwaway server."
	make_cluster "$@"
	attend as_user "$bin/pg_ctl" start -s -w -D "$work/data$instance" \
		-l "$work/log/server$instance.log" ||
		die_with "server$instance.log" "Starting the server failed."
}

# start_standby [SETTING...]: a streaming copy of the server, with these settings
start_standby()
{
	step standby.log "Copying the standby" \
		"$bin/pg_basebackup" -D "$work/standby" -R -c fast -X stream
	printf '%s\n' "port = 5433" "$@" >>"$work/standby/postgresql.auto.conf"
	step standby.log "Starting the standby" "$bin/pg_ctl" start -s -w \
		-D "$work/standby" -l "$work/log/standby_server.log"
}

stop_server()
{
	local pid i

	pid=$(head -n 1 "$work/data/postmaster.pid")
	step stop.log "Stopping the server" \
		"$bin/pg_ctl" stop -s -w -m fast -D "$work/data"
	# pg_ctl waits for the end of the lock file, not quite of the process
	for i in {1..20}; do
		kill -0 "$pid" 2>/dev/null || return 0
		sleep 0.1
	done
}

background=					# process group of a load in the background

# start_background COMMAND...: run a command beside the script, until stop_load
start_background()
{
	set -m
	as_user "$@" </dev/null 3>&- >"$work/log/background.log" 2>&1 &
	background=$!
	set +m
}

# start_load OPTION...: pgbench
start_load()
{
	start_background "$bin/pgbench" -n "$@"
}

stop_load()
{
	kill -0 "$background" 2>/dev/null || die_with background.log "the load ended too early."
	end_group "$background"
	wait "$background" || :
}

# What pgbench says about its last run: connecting is not included.
commits_per_second()
{
	sed -n 's/^tps = \([0-9.]*\).*/\1/p' "$work/log/pgbench.log"
}

# sql OPTION...: psql
sql()
{
	attend as_user "$bin/psql" -X -q -v ON_ERROR_STOP=1 -P pager=off "$@" ||
		die "psql failed."
}
