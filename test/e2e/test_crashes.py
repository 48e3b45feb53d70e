"""Processes that die in the middle of pulls, at whatever moment: the target is as before or as the source, row by row, and the next
pull goes. The seed is fixed, so the moments are the same ones as far as the machine allows."""

import os
import random
import signal
import time

import psycopg2
import pytest

from support.database import STAGING
from support.waiting import wait_until

ROWS = 30000
TABLE = "(id bigint PRIMARY KEY, a text, n numeric, at timestamptz)"
MAPPINGS = {"absent": {"mode": "upsert", "delete_mode": "hard"}, "marked": {"mode": "upsert", "watermark": {"field": "at"}},
            "replaced": {"mode": "replace"}}


@pytest.fixture
def victim(make_cluster, make_database, remote_pg, canary, request):
    """A cluster that may be killed, with one mapping of each kind over the remote's table."""
    request.node.expects_crash = True
    cluster = make_cluster(f"victim_{request.node.callspec.id}", "fsync = on", "autovacuum_naptime = 1s", environment={"PG_PULL_TEST_TOKEN": canary})
    db = make_database(cluster)
    remote_pg.sql(f"CREATE TABLE big {TABLE}")
    remote_pg.sql("INSERT INTO big SELECT i, 'row ' || i, i / 7.0, now() FROM generate_series(1, %s) i", ROWS)
    remote_pg.sql("GRANT SELECT ON big TO remote_reader")
    db.call("sync_connector_create", "pg", provider="postgres", config={"conninfo": remote_pg.conninfo},
            auth={"type": "basic", "credential_ref": "PG_PULL_TEST_TOKEN"})
    for name, more in MAPPINGS.items():
        db.sql(f"CREATE TABLE {name} {TABLE}")
        db.call("sync_mapping_create", name, connector="pg", source={"table": "public.big"}, target=f"public.{name}",
                fields={"id": "id", "a": "a", "n": "n", "at": "at"}, key=["id"], **more)
    db.remote = remote_pg
    return db


def kill_worker(db, pulls, choice):
    os.kill(choice([row.pid for row in db.rows("SELECT pid FROM pg_stat_activity WHERE backend_type = 'pg_pull worker'")]), signal.SIGKILL)


def kill_caller(db, pulls, choice):
    os.kill(choice(pulls).pid, signal.SIGKILL)


def kill_postmaster(db, pulls, choice):
    pid = int((db.cluster.directory / "data" / "postmaster.pid").read_text().splitlines()[0])
    os.kill(pid, signal.SIGKILL)
    wait_until(lambda: not os.path.exists(f"/proc/{pid}"), 30, "the postmaster to be gone")
    db.cluster.restart()


def stop_at_once(db, pulls, choice):
    db.cluster.crash()


def contents(database, table):
    return database.tuples(f"SELECT id, a, n FROM {table} ORDER BY id")


def reconnect(db):
    def alive():
        try:
            db.connection = db.cluster.connect(db.name)
            return db.value("SELECT true")
        except psycopg2.Error:
            return False
    db.connection.close()
    wait_until(alive, 60, "the server to come back")
    wait_until(lambda: not db.rows("SELECT 1 FROM pg_stat_activity WHERE backend_type = 'pg_pull worker'"), 30, "the workers to be gone")


@pytest.mark.parametrize("kill", [kill_worker, kill_caller, kill_postmaster, stop_at_once], ids=lambda kill: kill.__name__)
def test_a_kill_leaves_all_or_nothing(victim, kill):
    db, chance = victim, random.Random(7)
    for turn in range(3):
        db.remote.sql("UPDATE big SET a = %s || id, at = clock_timestamp() WHERE id %% 37 = %s", f"turn {turn} ", turn)
        db.remote.sql("DELETE FROM big WHERE id %% 1009 = %s", turn)
        before = {name: contents(db, name) for name in MAPPINGS}
        pulls = [db.background("SELECT sync_pull(%s)", name) for name in MAPPINGS]
        wait_until(lambda: db.value("SELECT count(*) FROM sync_progress WHERE run_id IS NOT NULL") == 3, 20, "three runs")
        time.sleep(chance.uniform(0, 0.6))
        try:
            kill(db, pulls, chance.choice)
        except (IndexError, ProcessLookupError):
            pass  # all were quicker than that
        for pull in pulls:
            try:
                pull.result(60)
            except psycopg2.Error:
                pass
        reconnect(db)
        source = contents(db.remote, "big")
        for name in ("absent", "replaced"):
            assert contents(db, name) in (before[name], source), f"{name} is torn"
    for name in MAPPINGS:
        db.pull(name)
    assert contents(db, "absent") == source
    assert contents(db, "replaced") == source
    there = {row[0] for row in source}
    assert [row for row in contents(db, "marked") if row[0] in there] == source
    assert not db.rows("SELECT 1 FROM sys_sync_run WHERE status = 'running'")
    # a crash orphans temporary tables; the server's autovacuum removes them
    wait_until(lambda: not db.rows(STAGING), 30, "the staging tables of dead workers to go")
