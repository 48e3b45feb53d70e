# Shared by the scripts of this folder; source it. Needs bash. Sets: root (the clone), build (its build folder), logs.
# Nothing here writes outside the clone and a folder of its own under /tmp.

set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
build=${PG_PULL_BUILD:-$root/build}
logs=$build/log
PG_CONFIG=${PG_CONFIG:-}

# Cache hits do not depend on the folder of the clone.
export CCACHE_BASEDIR=$root CCACHE_NOHASHDIR=1
export LC_ALL=C.UTF-8
# A caller's connection settings must not lead a script to a server that is not its own.
unset PGHOST PGPORT PGUSER PGDATABASE PGPASSWORD PGSERVICE PGOPTIONS PGDATA MAKEFLAGS MAKELEVEL 2>/dev/null || true

say() { printf '%s\n' "$*"; }
die() {
    printf '%s\n' "$*" >&2
    exit 1
}

# Runs a noisy step: its output goes to build/log/<name>.log and is shown only when it fails.
quietly() {
    local name=$1
    shift
    mkdir -p "$logs"
    if ! "$@" >"$logs/$name.log" 2>&1; then
        tail -n "${QUIETLY_TAIL:-60}" "$logs/$name.log" >&2
        say "$name failed; the whole output is in $logs/$name.log" >&2
        return 1
    fi
}

# The pg_config of the PostgreSQL to build against: $PG_CONFIG, or Debian's 15, or the one on PATH.
find_pg_config() {
    if [ -z "$PG_CONFIG" ]; then
        if [ -x /usr/lib/postgresql/15/bin/pg_config ]; then
            PG_CONFIG=/usr/lib/postgresql/15/bin/pg_config
        else
            PG_CONFIG=$(command -v pg_config) || die "pg_config not found: install postgresql-server-dev-15, or set PG_CONFIG"
        fi
    fi
    export PG_CONFIG
    pg_bin=$("$PG_CONFIG" --bindir)
}

# PostgreSQL refuses to run as root: then the servers run as the user that Debian's package made for it.
find_server_user() {
    if [ "$(id -u)" -eq 0 ]; then
        server_user=${PG_PULL_SERVER_USER:-postgres}
        id -u "$server_user" >/dev/null 2>&1 || die "user \"$server_user\" does not exist: set PG_PULL_SERVER_USER to an unprivileged user"
    else
        server_user=$(id -un)
    fi
}

# The clone may be in a folder that this user cannot enter, so the working directory is left, too.
as_server() {
    if [ "$(id -un)" = "$server_user" ]; then
        (cd / && "$@")
    else
        (cd / && HOME=/nonexistent runuser -u "$server_user" -- "$@")
    fi
}

# Makes the folder of this run under /tmp, readable by the server's user, and sets work.
make_work_dir() {
    work=$(mktemp -d /tmp/pg_pull.XXXXXX)
    chmod 755 "$work"
}

free_port() {
    local port
    for _ in $(seq 100); do
        port=$((20000 + RANDOM % 12000))
        if ! (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; then
            echo "$port"
            return 0
        fi
    done
    die "no free port found on 127.0.0.1"
}

# wait_for SECONDS WHAT COMMAND...: until the command succeeds; says what it waited for when it never does.
wait_for() {
    local deadline=$((SECONDS + $1)) what=$2
    shift 2
    until "$@" >/dev/null 2>&1; do
        [ "$SECONDS" -lt "$deadline" ] || die "waited in vain for $what"
        sleep 0.1
    done
}

port_open() { (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null; }

# Ends a process that this run started, by its id, and waits until it is gone.
end_pid() {
    local pid=$1
    kill "$pid" 2>/dev/null || return 0
    for _ in $(seq 50); do
        kill -0 "$pid" 2>/dev/null || return 0
        sleep 0.1
    done
    kill -9 "$pid" 2>/dev/null || true
}

build_extension() {
    make -C "$root" -j"${JOBS:-2}" PG_CONFIG="$PG_CONFIG" COPT="${COPT:-}" all
}

# install_extension DIR: into a tree of its own that the server reads by extension_destdir (a setting of Debian's PostgreSQL).
# A server without that setting gets an ordinary `make install`, for which this user needs the rights.
install_extension() {
    local tree=$1
    # not grep -q: it would end at the first match, and pipefail then reports the SIGPIPE of the server
    if "$pg_bin/postgres" --describe-config 2>/dev/null | grep '^extension_destdir' >/dev/null; then
        make -C "$root" PG_CONFIG="$PG_CONFIG" DESTDIR="$tree" install
        chmod -R a+rX "$tree"
    else
        make -C "$root" PG_CONFIG="$PG_CONFIG" install
    fi
}

# Installs a server of npm from its pinned folder under test/support/npm into build/npm/<name>. Quick when it is there.
install_npm() {
    local name=$1 from=$root/test/support/npm/$1 to=$build/npm/$1
    if [ -f "$to/.complete" ] && cmp -s "$from/package-lock.json" "$to/package-lock.json"; then
        return 0
    fi
    rm -rf "$to"
    mkdir -p "$to"
    cp "$from"/package*.json "$to"/
    quietly "npm-$name" npm ci --prefix "$to" --ignore-scripts --no-audit --no-fund --loglevel=error
    touch "$to/.complete"
}

# cluster_start DIR [CONFIGURATION LINE...]: makes a throw-away cluster in DIR (below a work dir) and starts it on a free port
# of 127.0.0.1 and a socket in DIR. Local connections are trusted, since only the owner and root can enter DIR; TCP asks for a
# password. Afterwards DIR has: data, log, port. Set extension_tree before to give the cluster the extension.
cluster_start() {
    local dir=$1 port tries
    shift
    mkdir -p "$dir"
    chmod 700 "$dir"
    if [ "$(id -un)" != "$server_user" ]; then chown "$server_user": "$dir"; fi
    as_server "$pg_bin/initdb" --pgdata="$dir/data" --username=postgres --encoding=UTF8 --locale=C.UTF-8 --no-sync \
        --auth-local=trust --auth-host=scram-sha-256 >/dev/null
    {
        printf '%s\n' "listen_addresses = '127.0.0.1'" "unix_socket_directories = '$dir'" "fsync = off" "shared_buffers = 64MB" \
            "log_checkpoints = off" "max_connections = 60" "max_worker_processes = 16" "log_line_prefix = '%m [%p] %a: '" "timezone = 'UTC'"
        if [ -n "${extension_tree:-}" ] && [ -d "$extension_tree" ]; then
            printf '%s\n' "extension_destdir = '$extension_tree'" \
                "dynamic_library_path = '$extension_tree$("$PG_CONFIG" --pkglibdir):\$libdir'"
        fi
        printf '%s\n' "$@"
    } | as_server tee -a "$dir/data/postgresql.conf" >/dev/null
    for tries in 1 2 3; do
        port=$(free_port)
        as_server sh -c "echo $port > '$dir/port'"
        if as_server "$pg_bin/pg_ctl" --pgdata="$dir/data" --log="$dir/log" --silent --wait --options="-p $port" start >/dev/null; then
            return 0
        fi
        grep -q 'Address already in use' "$dir/log" || break
    done
    tail -n 20 "$dir/log" >&2
    die "the server in $dir did not start (try $tries)"
}

cluster_stop() {
    local dir=$1
    [ -f "$dir/data/postmaster.pid" ] || return 0
    as_server "$pg_bin/pg_ctl" --pgdata="$dir/data" --mode="${2:-fast}" --silent --wait --timeout=30 stop >/dev/null 2>&1 ||
        as_server "$pg_bin/pg_ctl" --pgdata="$dir/data" --mode=immediate --silent --wait stop >/dev/null 2>&1 || true
}
