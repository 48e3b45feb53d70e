"""pg_dump and pg_restore carry connectors, mappings, history and sequences; the restored mapping goes on where it was."""

import os
import subprocess

import pytest

from support.items import counts, declare, item, items

PG_BIN = os.path.dirname(os.environ.get("PG_CONFIG") or "/usr/lib/postgresql/15/bin/pg_config")


def dump_and_restore(source, target, directory):
    """Returns the dump as text, after restoring it."""
    file = directory / "dump"
    common = ["-h", source.cluster.socket_dir, "-p", str(source.cluster.port), "-U", "postgres"]
    subprocess.run([f"{PG_BIN}/pg_dump", *common, "-f", str(file), source.name], check=True)
    there = ["-h", target.cluster.socket_dir, "-p", str(target.cluster.port), "-U", "postgres"]
    done = subprocess.run([f"{PG_BIN}/psql", *there, "-X", "-q", "-v", "ON_ERROR_STOP=1", "-d", target.name, "-f", str(file)],
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return file.read_text()


@pytest.fixture
def pulled(db, json_server):
    api = json_server({"items": items(12)})
    declare(db, api.url, watermark={"field": "updated_at", "param": "updated_at_gte"},
            auth={"type": "bearer", "credential_ref": "PG_PULL_TEST_TOKEN"})
    db.pull("items")
    return api


def test_a_restored_database_goes_on(db, pulled, server, make_database, fresh_dir, canary):
    copy = make_database(server, extension=False)
    dump = dump_and_restore(db, copy, fresh_dir())
    assert canary not in dump
    for table in ("sys_sync_connector", "sync_mapping", "sys_sync_run", "sys_sync_cursor"):
        query = f"SELECT * FROM {table} ORDER BY 1"
        assert copy.tuples(query) == db.tuples(query), table
    pulled.add("items", item(13, updated_at="2026-03-01T00:00:00Z"))
    run = copy.pull("items")
    assert run.watermark_from is not None and run.rows_inserted == 1
    assert run.run_id > db.last_run("items").run_id, "the sequence was not carried over"


def test_a_secret_in_a_dump_is_of_no_use(db, pulled, server, make_database, fresh_dir, canary):
    db.value("SELECT sync_secret_set('stored', %s)", canary)
    copy = make_database(server, extension=False)
    dump = dump_and_restore(db, copy, fresh_dir())
    assert canary not in dump and canary.encode().hex() not in dump


def test_a_dump_of_an_empty_extension_restores(server, make_database, fresh_dir):
    empty, copy = make_database(server), make_database(server, extension=False)
    dump_and_restore(empty, copy, fresh_dir())
    assert copy.has_extension() and copy.value("SELECT count(*) FROM sync_mapping") == 0


def test_counts_after_restore(db, pulled, server, make_database, fresh_dir):
    copy = make_database(server, extension=False)
    dump_and_restore(db, copy, fresh_dir())
    assert counts(copy.pull("items", full=True)) == {"records_read": 12, "rows_unchanged": 12}
