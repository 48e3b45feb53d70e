#!/usr/bin/env bash
# clang-tidy with the checks of .clang-tidy: scripts/lint.sh [FILE...]. Without files: those of src that differ from the last
# commit; with --all: every one. src/pg is read with the server's headers, the rest without.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

find_pg_config
cd "$root"
if [ "${1:-}" = --all ]; then
    mapfile -t files < <(find src -name '*.cpp' | sort)
elif [ "$#" -gt 0 ]; then
    files=("$@")
else
    mapfile -t files < <({ git diff --name-only HEAD -- src; git ls-files --others --exclude-standard -- src; } | grep '\.cpp$' | sort -u || true)
fi

common=(-std=c++20 -Isrc -D_GNU_SOURCE -DPG_PULL_VERSION='"lint"' -Wall -Wextra)
client=(-isystem "$("$PG_CONFIG" --includedir)")
server=("${client[@]}" -isystem "$("$PG_CONFIG" --includedir-server)" -Wno-register -Wno-volatile)
status=0
for file in "${files[@]}"; do
    case $file in
        src/pg/*) flags=("${server[@]}") ;;
        src/source/*) flags=("${client[@]}") ;;
        *) flags=() ;;
    esac
    clang-tidy-14 --quiet "$file" -- "${common[@]}" "${flags[@]}" 2>/dev/null || status=1
done
say "${#files[@]} files read"
exit $status
