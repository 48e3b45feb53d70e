#!/usr/bin/env bash
# Every test: installs what is missing, builds, runs the suites, and ends with one line "N passed, N failed".
#   scripts/test.sh [SUITE...]     suites: unit fuzz regress e2e demo docs format (default: all)
# FUZZ_SECONDS (10) bounds each fuzz target; PYTEST_ARGS goes to pytest. Logs are in build/log.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

suites=("$@")
[ "${#suites[@]}" -gt 0 ] || suites=(format unit fuzz regress e2e demo docs)
fuzz_seconds=${FUZZ_SECONDS:-10}
total_passed=0
total_failed=0
failed_suites=()
mkdir -p "$logs"

finished=
pytest=
cleanup() {
    trap "" INT TERM
    # pytest stops the servers that it started
    if [ -n "$pytest" ]; then
        kill "$pytest" 2>/dev/null || true
        wait "$pytest" || true
    fi
    if [ -z "$finished" ]; then say "$total_passed passed, $((total_failed + 1)) failed"; fi
    if [ -n "${work:-}" ] && [ -d "$work" ]; then
        for dir in "$work"/*/; do cluster_stop "${dir%/}" immediate; done
        rm -rf "$work"
    fi
}
trap cleanup EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# count SUITE PASSED FAILED
count() {
    total_passed=$((total_passed + $2))
    total_failed=$((total_failed + $3))
    if [ "$3" -gt 0 ]; then failed_suites+=("$1"); fi
    printf '%-10s %5d ok %5d not ok   (%d s)\n' "$1" "$2" "$3" "$((SECONDS - suite_start))"
}

# matches PATTERN FILE: the number of lines.
matches() { grep -cE -- "$1" "$2" 2>/dev/null || true; }

# A suite that ended badly without naming a failed test counts as one failure.
count_or_crash() {
    local suite=$1 passed=$2 failed=$3 status=$4
    if [ "$failed" -eq 0 ] && { [ "$status" -ne 0 ] || [ "$passed" -eq 0 ]; }; then failed=1; fi
    if [ "$failed" -gt 0 ]; then tail -n 80 "$logs/$suite.log"; fi
    count "$suite" "$passed" "$failed"
}

# One build serves unit tests and fuzzers: clang, with AddressSanitizer and UndefinedBehaviorSanitizer. (gcc builds the extension.)
build_sanitized() {
    local target=$1
    cmake -S "$root" -B "$build/sanitized" -DCMAKE_CXX_COMPILER=clang++-14 -DCMAKE_BUILD_TYPE=None \
        -DCMAKE_CXX_FLAGS="-O0 -gline-tables-only" \
        -DPG_PULL_SANITIZE=ON -DPG_PULL_FUZZ=ON -DPG_PULL_WERROR=ON -DPG_PULL_PG_CONFIG="$PG_CONFIG" &&
        cmake --build "$build/sanitized" -j"${JOBS:-2}" --target "$target"
}

suite_format() {
    local status=0
    scripts/format-check.sh >"$logs/format.log" 2>&1 || status=$?
    count_or_crash format $((status == 0)) $((status != 0)) "$status"
}

suite_unit() {
    local status=0
    if ! quietly build-unit build_sanitized unit_tests; then
        count unit 0 1
        return
    fi
    (cd "$root/test" && UBSAN_OPTIONS=print_stacktrace=1 "$build/sanitized/unit_tests") >"$logs/unit.log" 2>&1 || status=$?
    count_or_crash unit "$(matches '^\[       OK \]' "$logs/unit.log")" \
        "$(matches '^\[  FAILED  \] .* \([0-9]+ ms\)$' "$logs/unit.log")" "$status"
}

# Each target: its kept corpus first, then a bounded search for more. New inputs go to build/, crashes to build/log.
fuzz_one() {
    local target=$1 name=$2 corpus=$root/test/fuzz/corpus/$2 found=$build/fuzz/$2
    mkdir -p "$found"
    [ -d "$corpus" ] || { echo "no corpus in test/fuzz/corpus/$name"; return 1; }
    "$target" -max_total_time="$fuzz_seconds" -timeout=10 -rss_limit_mb=2048 -artifact_prefix="$logs/fuzz-$name-" -print_final_stats=1 \
        "$found" "$corpus"
}

suite_fuzz() {
    local file name passed=0 failed=0 running=0 names=()
    for file in "$root"/test/fuzz/*_fuzz.cpp; do
        [ -e "$file" ] && names+=("$(basename "$file" _fuzz.cpp)")
    done
    if [ "${#names[@]}" -eq 0 ] || ! quietly build-fuzz build_sanitized all; then
        count fuzz 0 1
        return
    fi
    for name in "${names[@]}"; do
        (if fuzz_one "$build/sanitized/fuzz/${name}_fuzz" "$name" >"$logs/fuzz-$name.log" 2>&1; then echo 0; else echo 1; fi) \
            >"$logs/fuzz-$name.status" &
        running=$((running + 1))
        if [ $((running % 2)) -eq 0 ]; then wait; fi
    done
    wait
    for name in "${names[@]}"; do
        if [ "$(cat "$logs/fuzz-$name.status")" = 0 ]; then
            passed=$((passed + 1))
        else
            failed=$((failed + 1))
            tail -n 40 "$logs/fuzz-$name.log"
        fi
    done
    count fuzz "$passed" "$failed"
}

suite_regress() {
    local status=0
    extension_tree=$tree cluster_start "$work/regress"
    PGHOST=$work/regress PGPORT=$(cat "$work/regress/port") PGUSER=postgres \
        make -C "$root" PG_CONFIG="$PG_CONFIG" installcheck >"$logs/regress.log" 2>&1 || status=$?
    local passed failed
    passed=$(matches '^ *(test )?.* \.\.\. ok ' "$logs/regress.log")
    failed=$(matches '^ *(test )?.* \.\.\. FAILED' "$logs/regress.log")
    if [ "$failed" -gt 0 ]; then
        head -n 150 "$root/regression.diffs" "$build/isolation/regression.diffs" 2>/dev/null || true
        tail -n 40 "$work/regress/log"
    fi
    count_or_crash regress "$passed" "$failed" "$status"
    cluster_stop "$work/regress"
}

suite_e2e() {
    local status=0 attribute numbers
    install_npm json-server
    rm -f "$logs/e2e.xml"
    # The system's python, whatever stands first on PATH: python3-psycopg2 and python3-pytest belong to it.
    # shellcheck disable=SC2086
    PG_PULL_TREE=$tree PG_PULL_BUILD=$build /usr/bin/python3 -B -m pytest -p no:cacheprovider -q --junitxml="$logs/e2e.xml" \
        ${PYTEST_ARGS:-} "$root/test/e2e" >"$logs/e2e.log" 2>&1 &
    pytest=$!
    wait "$pytest" || status=$?
    pytest=
    declare -A numbers=([tests]=0 [failures]=0 [errors]=0 [skipped]=0)
    for attribute in "${!numbers[@]}"; do
        numbers[$attribute]=$(sed -nE "s/.*<testsuite [^>]*\b$attribute=\"([0-9]+)\".*/\1/p" "$logs/e2e.xml" 2>/dev/null | head -n 1)
        numbers[$attribute]=${numbers[$attribute]:-0}
    done
    local failed=$((numbers[failures] + numbers[errors]))
    if [ "${numbers[skipped]}" -gt 0 ]; then say "e2e: ${numbers[skipped]} skipped"; fi
    if [ "$failed" -gt 0 ]; then tail -n 400 "$logs/e2e.log" | head -n 320; fi
    count_or_crash e2e "$((numbers[tests] - failed - numbers[skipped]))" "$failed" "$status"
}

# The demo is a promise of the README, so it is run as a newcomer would, and must have shown rows of both sources.
suite_demo() {
    local status=0
    bash "$root/scripts/demo.sh" >"$logs/demo.log" 2>&1 || status=$?
    if ! grep -q 'That was pg_pull' "$logs/demo.log"; then status=1; fi
    count_or_crash demo $((status == 0)) $((status != 0)) "$status"
}

suite_docs() {
    local status=0
    bash "$root/scripts/check-docs.sh" >"$logs/docs.log" 2>&1 || status=$?
    count_or_crash docs "$(matches '^ok ' "$logs/docs.log")" "$(matches '^not ok ' "$logs/docs.log")" "$status"
}

cd "$root"
bash "$root/scripts/install-deps.sh" test
find_pg_config
find_server_user
make_work_dir
tree=$work/tree

# A symbol of ours that no source defines: without this, every test fails with the loader's mangled name of it.
check_symbols() {
    local missing
    missing=$(nm -uC "$root/pg_pull.so" | grep 'pg_pull::' || true)
    if [ -n "$missing" ]; then
        printf 'pg_pull.so needs symbols that nothing defines:\n%s\n' "$missing" >&2
        return 1
    fi
}

suite_start=$SECONDS
case " ${suites[*]} " in
    *" regress "* | *" e2e "*)
        if ! { COPT='-Werror -g0' quietly build build_extension && check_symbols && quietly install install_extension "$tree"; }; then
            say "the extension cannot be built: the suites that need it are not run"
            count build 0 1
            for suite in "${!suites[@]}"; do
                case ${suites[$suite]} in regress | e2e | demo) unset "suites[$suite]" ;; esac
            done
        fi
        ;;
esac

for suite in "${suites[@]}"; do
    suite_start=$SECONDS
    "suite_$suite"
done

if [ "${#failed_suites[@]}" -gt 0 ]; then say "failed: ${failed_suites[*]} (logs in $logs)"; fi
finished=yes
say "$total_passed passed, $total_failed failed"
[ "$total_failed" -eq 0 ] && [ "$total_passed" -gt 0 ]
