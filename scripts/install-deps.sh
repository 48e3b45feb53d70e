#!/usr/bin/env bash
# Installs the Debian packages that are missing: install-deps.sh build|demo|test. Quick when nothing is.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

purpose=${1:-build}
packages=(make g++ libcurl4-openssl-dev nlohmann-json3-dev libsimdjson-dev libsodium-dev libssl-dev libpq-dev)
# Another PostgreSQL, named by PG_CONFIG, is the user's to install.
[ -n "$PG_CONFIG" ] || packages+=(postgresql-15 postgresql-server-dev-15)

case $purpose in
    build) ;;
    demo) packages+=(curl) ;;
    test)
        packages+=(curl openssl cmake ccache clang-14 libclang-rt-14-dev clang-format-14 libgtest-dev nginx-light postgresql-15-cron
            python3 python3-pytest python3-psycopg2)
        ;;
    *) die "usage: install-deps.sh build|demo|test" ;;
esac
# Any node that is on PATH will do; Debian's otherwise.
if [ "$purpose" != build ]; then
    command -v node >/dev/null || packages+=(nodejs)
    command -v npm >/dev/null || packages+=(npm)
fi

missing=()
for package in "${packages[@]}"; do
    case $(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null) in
        installed) ;;
        *) missing+=("$package") ;;
    esac
done
[ "${#missing[@]}" -gt 0 ] || exit 0

as_root=()
if [ "$(id -u)" -ne 0 ]; then
    if ! sudo -n true 2>/dev/null; then
        say "Missing packages: ${missing[*]}" >&2
        die "This user may not install them. As root: apt-get install --no-install-recommends ${missing[*]}"
    fi
    as_root=(sudo -n)
fi

# Freshly installed servers (PostgreSQL, nginx) would start at once; nothing here needs theirs, each run starts its own.
policy=/usr/sbin/policy-rc.d
if [ ! -e "$policy" ]; then
    trap '"${as_root[@]}" rm -f "$policy"' EXIT
    printf '#!/bin/sh\nexit 101\n' | "${as_root[@]}" tee "$policy" >/dev/null
    "${as_root[@]}" chmod 755 "$policy"
fi

say "Installing: ${missing[*]}"
quietly apt-update "${as_root[@]}" apt-get update
quietly apt-install "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends "${missing[@]}"
