#!/usr/bin/env bash
# Throw-away PostgreSQL clusters, for people and for the end-to-end tests:
#
#   server.sh install TREE                                  builds the extension and installs it below TREE
#   server.sh start DIR [--extension TREE] [LINE...]        makes and starts a cluster in DIR; LINEs go to postgresql.conf
#   server.sh stop DIR [smart|fast|immediate]               ends it
#   server.sh restart DIR [smart|fast|immediate]            on the same port
#
# DIR must be below a folder that the server's user can enter; /tmp is. DIR/port has the port, DIR is the socket directory.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

find_pg_config
find_server_user
command=${1:-}
dir=${2:-}
[ -n "$dir" ] || die "usage: server.sh install|start|stop|restart DIR [...]"
shift 2

case $command in
    install)
        COPT=${COPT:-} build_extension
        install_extension "$dir"
        ;;
    start)
        if [ "${1:-}" = --extension ]; then
            extension_tree=$2
            shift 2
        fi
        cluster_start "$dir" "$@"
        ;;
    stop) cluster_stop "$dir" "${1:-fast}" ;;
    restart)
        cluster_stop "$dir" "${1:-fast}"
        as_server "$pg_bin/pg_ctl" --pgdata="$dir/data" --log="$dir/log" --silent --wait --options="-p $(cat "$dir/port")" start >/dev/null
        ;;
    *) die "server.sh: unknown command \"$command\"" ;;
esac
