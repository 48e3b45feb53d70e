#!/usr/bin/env bash
# Do the documents say what the code does? Prints "ok ..." or "not ok ..." for each check.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

cd "$root"
status=0
check() {
    local name=$1
    shift
    if "$@"; then
        say "ok $name"
    else
        say "not ok $name"
        status=1
    fi
}

links_lead_somewhere() {
    local file link bad=0
    while read -r file; do
        while read -r link; do
            link=${link%%#*}
            [ -z "$link" ] || [ -e "$(dirname "$file")/$link" ] || { say "$file: $link does not exist"; bad=1; }
        done < <(grep -oE '\]\([^)]+\)' "$file" | sed -E 's/^\]\(//; s/\)$//' | grep -vE '^[a-z]+:' || true)
    done < <(find . -path ./build -prune -o -name node_modules -prune -o -name '*.md' -print)
    return $bad
}

readme_is_short() { [ "$(wc -l <README.md)" -le 200 ]; }

# every PAGE: each name on standard input stands in the page, in backquotes or as the head of a call.
every() {
    local page=$1 name bad=0 names=0
    while read -r name; do
        names=$((names + 1))
        grep -qE "\`$name[\`(]" "$page" || { say "$page: $name is missing"; bad=1; }
    done
    [ "$names" -gt 0 ] || { say "$page: found no names in the code"; bad=1; }
    return $bad
}

sql_functions() { cat sql/[0-9]*.sql | grep -oE 'CREATE (FUNCTION|PROCEDURE) @extschema@\.sync_[a-z_]+' | sed 's/.*\.//' | sort -u; }
settings() { sed -nE 's/.*(define_integer|define_text|DefineCustom[A-Za-z]+Variable)\("(pg_pull\.[a-z_]+)".*/\2/p' src/pg/settings.cpp | sort -u; }

functions_are_documented() { sql_functions | every docs/reference/functions.md; }
settings_are_documented() { settings | every docs/reference/settings.md; }
reasons_are_documented() { /usr/bin/python3 scripts/error_table.py --check; }

check "links lead somewhere" links_lead_somewhere
check "README has at most 200 lines" readme_is_short
check "every function is in the reference" functions_are_documented
check "every setting is in the reference" settings_are_documented
check "the page of error reasons is what the code says" reasons_are_documented
exit $status
