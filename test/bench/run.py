"""Benchmarks of whole pulls, each beside a baseline that runs in the same breath: machines are noisy, ratios less so.

    /usr/bin/python3 test/bench/run.py [--scale 1.0] [--rounds 3] [name ...]

Names: postgres, rest, repull, empty, memory. Prints medians, all single figures and the ratio; nothing here can fail a test.
"""

import argparse
import json
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from support.cluster import ROOT, Cluster, install_extension  # noqa: E402
from support.database import Database  # noqa: E402
from support.servers import Nginx  # noqa: E402

CONF = ("shared_buffers=1GB", "max_wal_size=8GB", "autovacuum=off", "jit=off", "max_worker_processes=16")
ROWS = ("id bigint, small integer, name text, body text, amount numeric(12,2), at timestamptz, flag boolean, extra jsonb")
ISSUES = ("id bigint PRIMARY KEY, title text, author text, state text, comments integer, body text, labels jsonb, "
          "updated_at timestamptz")
FIELDS = {"id": "id", "title": "title", "author": "user.login", "state": "state", "comments": "comments", "body": "body",
          "labels": "labels", "updated_at": "updated_at"}
PER_PAGE = 1000


def seconds(action):
    begin = time.monotonic()
    action()
    return time.monotonic() - begin


def compare(title, rounds, prepare, variants):
    """Runs the variants in turn, `rounds` times, each after `prepare`; the first is the yardstick."""
    figures = {name: [] for name, _ in variants}
    for _ in range(rounds):
        for name, action in variants:
            prepare()
            figures[name].append(seconds(action))
    base = statistics.median(figures[variants[0][0]])
    print(f"\n{title}")
    for name, values in figures.items():
        median = statistics.median(values)
        print(f"  {name:34} {median:8.3f} s   ratio {median / base:5.2f}   [{' '.join(f'{v:.3f}' for v in values)}]")


class Bench:
    def __init__(self, directory, scale, rounds):
        self.directory, self.scale, self.rounds = directory, scale, rounds
        tree = directory / "tree"
        install_extension(tree)
        self.cluster = Cluster(directory / "target", tree, CONF)
        self.remote = Cluster(directory / "source", None, CONF)
        self.cluster.execute("CREATE DATABASE bench")
        self.db = Database(self.cluster, "bench")
        self.db.sql("CREATE EXTENSION pg_pull")
        self.nginx = None

    def close(self):
        for server in (self.cluster, self.remote, self.nginx):
            if server is not None:
                server.stop()

    def count(self, full):
        return max(1000, int(full * self.scale))

    # ---------------------------------------------------------------------------------------------- a second Postgres

    def _source_rows(self, count):
        self.remote.execute(f"""
            CREATE TABLE IF NOT EXISTS rows ({ROWS});
            TRUNCATE rows;
            INSERT INTO rows SELECT i, i % 1000, 'name ' || i, repeat(md5(i::text), 2) || i, (i % 100000) / 100.0,
                   '2024-01-01'::timestamptz + i * interval '1 second', i % 2 = 0, jsonb_build_object('k', i % 10, 'v', md5(i::text))
              FROM generate_series(1, {count}) i""")

    def _pipe(self, form):
        source = f"psql -qX -h {self.remote.socket_dir} -p {self.remote.port} -U postgres -d postgres"
        target = f"psql -qX -h {self.cluster.socket_dir} -p {self.cluster.port} -U postgres -d bench"
        option = "(FORMAT binary)" if form == "binary" else ""
        subprocess.run(f"{source} -c 'COPY rows TO STDOUT {option}' | {target} -c 'COPY rows FROM STDIN {option}'", shell=True,
                       check=True)

    def _prepare_postgres(self, count):
        self._source_rows(count)
        conninfo = f"host={self.remote.socket_dir} port={self.remote.port} dbname=postgres user=postgres"
        self.db.sql(f"CREATE TABLE rows ({ROWS})")
        self.db.sql("CREATE EXTENSION IF NOT EXISTS postgres_fdw")
        self.db.sql("SELECT sync_connector_create('src', 'postgres', %s)", {"conninfo": conninfo})
        fields = {name.split()[0]: name.split()[0] for name in ROWS.split(", ")}
        self.db.sql("SELECT sync_mapping_create('rows', 'src', %s, 'public.rows', %s)", {"table": "rows"}, fields)
        self.db.sql(f"""CREATE SERVER src FOREIGN DATA WRAPPER postgres_fdw
            OPTIONS (host '{self.remote.socket_dir}', port '{self.remote.port}', dbname 'postgres', fetch_size '10000');
            CREATE USER MAPPING FOR postgres SERVER src OPTIONS (user 'postgres');
            CREATE FOREIGN TABLE remote_rows ({ROWS}) SERVER src OPTIONS (table_name 'rows')""")

    def postgres(self):
        count = self.count(3_000_000)
        self._prepare_postgres(count)
        compare(f"Postgres to Postgres, full load of {count} rows, 8 columns", self.rounds,
                lambda: self.db.sql("TRUNCATE rows"),
                [("psql COPY pipe, text", lambda: self._pipe("text")),
                 ("psql COPY pipe, binary", lambda: self._pipe("binary")),
                 ("postgres_fdw INSERT SELECT", lambda: self.db.sql("INSERT INTO rows SELECT * FROM remote_rows")),
                 ("sync_pull", lambda: self.db.sql("SELECT sync_pull('rows')"))])

    # ---------------------------------------------------------------------------------------------- a REST API

    def _issue(self, number):
        return {"id": number, "title": f"Issue {number}: something does not work as it says", "state": "open", "comments": number % 50,
                "user": {"login": f"user{number % 500}", "id": number % 500, "type": "User", "site_admin": False,
                         "url": f"https://example.invalid/users/user{number % 500}"},
                "body": "Steps to reproduce:\n1. do this\n2. see \"that\"\n" + "lorem ipsum dolor sit amet " * 35,
                "labels": [{"id": n, "name": f"label {n}", "color": "aabbcc"} for n in range(number % 3)],
                "created_at": "2024-01-01T00:00:00Z", "updated_at": f"2024-01-{number % 28 + 1:02}T00:00:00Z",
                "reactions": {"total_count": 0, "+1": 0, "-1": 0}, "url": f"https://example.invalid/issues/{number}"}

    def _serve_pages(self, pages):
        if self.nginx is None:
            self.nginx = Nginx("", {}, tempfile.mkdtemp(prefix="nginx.", dir=self.directory))
        for page in range(1, pages + 1):
            records = [self._issue(n) for n in range((page - 1) * PER_PAGE + 1, page * PER_PAGE + 1)]
            self.nginx.write(f"pages/{page}.json", json.dumps(records))
        self.nginx.write(f"pages/{pages + 1}.json", "[]")

    def _rest_mapping(self, name, target, mode, pages):
        # the number of pages is in no answer: the empty page behind the last ends the pull
        source = {"path": "/pages/${page.number}.json"}
        self.db.sql("SELECT sync_mapping_create(%s, 'api', %s, %s, %s, mode => %s, key => %s, pagination => %s)", name, source, target,
                    FIELDS, mode, ["id"] if mode != "insert" else [], {"type": "page", "max_pages": pages + 2})

    def _prepare_rest(self, pages):
        self._serve_pages(pages)
        self.db.sql(f"CREATE TABLE IF NOT EXISTS bench_issues ({ISSUES})")
        if not self.db.rows("SELECT FROM sys_sync_connector WHERE name = 'api'"):
            self.db.sql("SELECT sync_connector_create('api', 'rest', %s)", {"base_url": self.nginx.url})
        self._rest_mapping(f"issues_{pages}", "public.bench_issues", "upsert", pages)
        return f"issues_{pages}"

    def _baseline_program(self):
        program = self.directory / "rest_baseline"
        if not program.exists():
            include = subprocess.run(["pg_config", "--includedir"], check=True, capture_output=True, text=True).stdout.strip()
            subprocess.run(["g++", "-std=c++20", "-O2", "-isystem", include, str(ROOT / "test/bench/rest_baseline.cpp"), "-o",
                            str(program), "-lcurl", "-lpq", "-lsimdjson", "-lpthread"], check=True)
        return program

    def _recordset(self, pages):
        root = self.nginx._site / "pages"
        for page in range(1, pages + 1):
            self.db.sql(f"""INSERT INTO bench_issues SELECT id, title, "user"->>'login', state, comments, body, labels, updated_at
                FROM jsonb_to_recordset(pg_read_file('{root}/{page}.json')::jsonb)
                  AS r(id bigint, title text, "user" jsonb, state text, comments integer, body text, labels jsonb, updated_at timestamptz)
                ON CONFLICT (id) DO UPDATE SET title = excluded.title""")

    def rest(self):
        pages = self.count(500_000) // PER_PAGE
        mapping = self._prepare_rest(pages)
        program = self._baseline_program()
        conninfo = f"host={self.cluster.socket_dir} port={self.cluster.port} dbname=bench user=postgres"
        compare(f"REST, {pages * PER_PAGE} records of about 1.5 kB, {PER_PAGE} a page, into an indexed table", self.rounds,
                lambda: self.db.sql("TRUNCATE bench_issues"),
                [("C++ fetch + simdjson + COPY", lambda: subprocess.run([str(program), f"{self.nginx.url}/pages/", str(pages), conninfo],
                                                                        check=True)),
                 ("jsonb_to_recordset, no fetching", lambda: self._recordset(pages)),
                 ("sync_pull, upsert", lambda: self.db.sql("SELECT sync_pull(%s)", mapping))])

    # ---------------------------------------------------------------------------------------------- again, and nothing new

    def _wal(self, action):
        before = self.db.value("SELECT pg_current_wal_lsn()")
        spent = seconds(action)
        return spent, int(self.db.value("SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), %s)", before))

    def repull(self):
        count = self.count(1_000_000)
        if not self.db.rows("SELECT FROM sys_sync_connector WHERE name = 'src'"):
            self._prepare_postgres(count)
        self._source_rows(count)
        fields = {name.split()[0]: name.split()[0] for name in ROWS.split(", ")}
        self.db.sql(f"CREATE TABLE again ({ROWS}, PRIMARY KEY (id))")
        self.db.sql("SELECT sync_mapping_create('again', 'src', %s, 'public.again', %s, mode => 'upsert', key => '{id}')",
                    {"table": "rows"}, fields)
        self.db.sql("SELECT sync_pull('again')")
        self.db.sql("VACUUM ANALYZE again")
        self.db.sql("CHECKPOINT")
        print(f"\nPull again, {count} rows, upsert by key")
        for round_number in range(self.rounds):
            spent, wal = self._wal(lambda: self.db.sql("SELECT sync_pull('again')"))
            dead = self.db.value("SELECT n_dead_tup FROM pg_stat_user_tables WHERE relname = 'again'")
            print(f"  nothing changed      {spent:8.3f} s   {wal:12} bytes of WAL   {dead} dead rows")
        self.remote.execute("UPDATE rows SET name = name || '!' WHERE id % 100 = 0")
        spent, wal = self._wal(lambda: self.db.sql("SELECT sync_pull('again')"))
        print(f"  1 % changed          {spent:8.3f} s   {wal:12} bytes of WAL")

    # ---------------------------------------------------------------------------------------------- small pulls, memory

    def empty(self):
        self._serve_pages(1)
        self.nginx.write("empty.json", "[]")
        self.db.sql("CREATE TABLE small (id bigint PRIMARY KEY)")
        if not self.db.rows("SELECT FROM sys_sync_connector WHERE name = 'api'"):
            self.db.sql("SELECT sync_connector_create('api', 'rest', %s)", {"base_url": self.nginx.url})
        self.db.sql("SELECT sync_mapping_create('empty', 'api', %s, 'public.small', %s, mode => 'upsert', key => '{id}')",
                    {"path": "/empty.json"}, {"id": "id"})
        times = sorted(seconds(lambda: self.db.sql("SELECT sync_pull('empty')")) * 1000 for _ in range(200))
        print(f"\nEmpty pull, call to row: median {times[100]:.2f} ms, p95 {times[190]:.2f} ms")

    def _peak_memory(self, action):
        """Highest RssAnon of any pull worker of this cluster while `action` runs, in kB."""
        peak, stop = [0], threading.Event()

        def watch():
            monitor = Database(self.cluster, "bench")
            while not stop.is_set():
                for row in monitor.rows("SELECT pid FROM pg_stat_activity WHERE backend_type = 'pg_pull worker'"):
                    try:
                        status = pathlib.Path(f"/proc/{row.pid}/status").read_text()
                    except OSError:
                        continue
                    peak[0] = max(peak[0], int(status.split("RssAnon:")[1].split()[0]))
                time.sleep(0.02)
            monitor.close()

        thread = threading.Thread(target=watch)
        thread.start()
        action()
        stop.set()
        thread.join()
        return peak[0]

    def memory(self):
        print("\nPeak private memory of the worker (RssAnon)")
        for full in (100_000, 1_000_000):
            pages = self.count(full) // PER_PAGE
            mapping = self._prepare_rest(pages)
            self.db.sql("TRUNCATE bench_issues")
            peak = self._peak_memory(lambda: self.db.sql("SELECT sync_pull(%s)", mapping))
            print(f"  {pages * PER_PAGE:9} records  {peak / 1024:7.1f} MB")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--scale", type=float, default=1.0, help="share of the full number of rows")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("names", nargs="*", default=[])
    options = parser.parse_args()
    directory = pathlib.Path(tempfile.mkdtemp(prefix="pg_pull_bench.", dir="/tmp"))
    directory.chmod(0o755)
    bench = Bench(directory, options.scale, options.rounds)
    try:
        for name in options.names or ["postgres", "rest", "repull", "empty", "memory"]:
            getattr(bench, name)()
    finally:
        bench.close()
        shutil.rmtree(directory, ignore_errors=True)


if __name__ == "__main__":
    main()
