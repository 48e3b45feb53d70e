#!/usr/bin/env bash
# Shows pg_pull at work: a throw-away server pulls from a paged JSON API over HTTP and from another PostgreSQL, twice.
# Installs what is missing, needs nothing outside of the clone, leaves nothing running.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

pids=()
cleanup() {
    trap "" INT TERM
    local pid
    for pid in "${pids[@]}"; do end_pid "$pid"; done
    if [ -n "${work:-}" ] && [ -d "$work" ]; then
        cluster_stop "$work/here" immediate
        cluster_stop "$work/shop" immediate
        rm -rf "$work"
    fi
}
trap cleanup EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# psql_here FILE: with the addresses of this run in place of those that the file shows.
psql_here() {
    sed -e "s#http://127.0.0.1:3000#http://127.0.0.1:$api_port#; s#port=5433#port=$shop_port#" "$root/scripts/demo/$1" |
        "$pg_bin/psql" --no-psqlrc --host="$work/here" --port="$(cat "$work/here/port")" --username=postgres --dbname=postgres 2>&1
}
psql_shop() { "$pg_bin/psql" --no-psqlrc --quiet --set ON_ERROR_STOP=1 --host="$work/shop" --port="$shop_port" --username=postgres "$@"; }

bash "$root/scripts/install-deps.sh" demo
find_pg_config
find_server_user
say "Building the extension (the first time takes some minutes) ..."
COPT=-g0 quietly build build_extension
make_work_dir
extension_tree=$work/tree
quietly install install_extension "$extension_tree"
install_npm json-server

say "Starting a throw-away PostgreSQL, another one as a source, and a JSON API ..."
PG_PULL_SHOP_PASSWORD=demo-$RANDOM$RANDOM
export PG_PULL_SHOP_PASSWORD
cluster_start "$work/here"
extension_tree='' cluster_start "$work/shop"
shop_port=$(cat "$work/shop/port")
psql_shop --dbname=postgres --command='CREATE DATABASE shop'
psql_shop --dbname=shop --file=- <"$root/scripts/demo/shop.sql"
psql_shop --dbname=shop --command="ALTER ROLE reader PASSWORD '$PG_PULL_SHOP_PASSWORD'"

cp "$root/scripts/demo/tickets.json" "$work/tickets.json"
api_port=$(free_port)
node "$build/npm/json-server/node_modules/json-server/lib/cli/bin.js" "$work/tickets.json" --host 127.0.0.1 --port "$api_port" \
    --quiet </dev/null >"$work/api.log" 2>&1 &
pids+=($!)
wait_for 20 "the JSON API on port $api_port" port_open "$api_port"

psql_here 1_first_pull.sql

say ""
say "=== 6. Now the sources change: a ticket is solved, one is new; a customer moves, one is new, one is gone"
api() { curl --silent --show-error --fail --output /dev/null --header 'Content-Type: application/json' "$@"; }
api --request PATCH --data '{"status": "solved", "updated_at": "2026-03-06T10:00:00Z"}' "http://127.0.0.1:$api_port/tickets/101"
api --request POST --data '{"id": 108, "subject": "Thank you!", "status": "open", "requester": {"name": "Ada"},
    "tags": ["praise"], "updated_at": "2026-03-06T11:00:00Z"}' "http://127.0.0.1:$api_port/tickets"
psql_shop --dbname=shop --file=- <"$root/scripts/demo/shop_changes.sql"

psql_here 2_second_pull.sql

say ""
say "That was pg_pull. The servers are being stopped; nothing is left behind. README.md and docs/tutorial.md say how to go on."
