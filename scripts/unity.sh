#!/usr/bin/env bash
# Joins the sources of a layer into a few files, each compiled at once: nlohmann's and the standard's templates are then read a
# few times instead of 150 times, which makes a build from nothing five times faster.
#
#   unity.sh OUT core|source|pg     writes OUT/*.cpp where they changed, prints their names
#
# One file a folder; src/pg, which is one large folder, in groups of nine. Files whose file-local names are also used by a neighbour
# stand alone: they are listed in scripts/unity-alone.txt. `make UNITY=0` compiles each file for itself.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
out=$1
layer=$2
root=$PWD
mkdir -p "$out"

write() {  # NAME FILE...
    local name=$1 file
    shift
    {
        # what comes before the server's headers, which define printf and its kin anew
        [ "$layer" != pg ] || echo '#include "../../scripts/unity-prelude.h"'
        for file in "$@"; do echo "#include \"$root/$file\""; done
    } | sed "s|\"../../scripts|\"$root/scripts|" > "$out/$name.new"
    if cmp -s "$out/$name.new" "$out/$name.cpp"; then rm "$out/$name.new"; else mv "$out/$name.new" "$out/$name.cpp"; fi
    echo "$out/$name.cpp"
}

alone() { grep -qxF "$1" scripts/unity-alone.txt; }

group() {  # NAME SIZE FILE...
    local name=$1 size=$2 number=1 batch=() file
    shift 2
    for file in "$@"; do
        if alone "$file"; then
            write "${name}_$(basename "$file" .cpp)" "$file"
            continue
        fi
        batch+=("$file")
        if [ "${#batch[@]}" -eq "$size" ]; then
            write "${name}_$number" "${batch[@]}"
            number=$((number + 1))
            batch=()
        fi
    done
    [ "${#batch[@]}" -eq 0 ] || write "${name}_$number" "${batch[@]}"
}

export LC_ALL=C
size=99
[ "$layer" != pg ] || size=9
find "src/$layer" -type d | sort | while read -r folder; do
    mapfile -t files < <(find "$folder" -maxdepth 1 -name '*.cpp' | sort)
    [ "${#files[@]}" -eq 0 ] || group "$(echo "${folder#src/}" | tr / _)" "$size" "${files[@]}"
done
