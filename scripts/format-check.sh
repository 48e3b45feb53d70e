#!/usr/bin/env bash
# Does every source file have the form of .clang-format? `scripts/format-check.sh --fix` gives it.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

mode=(--dry-run --Werror)
if [ "${1:-}" = --fix ]; then mode=(-i); fi
cd "$root"
find src test -name '*.cpp' -o -name '*.h' | sort | xargs -r clang-format-14 "${mode[@]}"
