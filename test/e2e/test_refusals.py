"""Each reason of a failed run that no other test provokes, with what it tells."""

import json
import threading

import pytest

from support import fault_server as fault
from support.database import Session
from support.items import connector, counts, declare, item, items
from support.waiting import wait_until


def told(error):
    return " | ".join(part for part in (error.diag.message_primary, error.diag.message_detail, error.diag.message_hint) if part)


@pytest.fixture
def refused(db, nginx):
    """refused(body, sqlstate, reason, **mapping): pulls this page, which must fail so; returns what is told."""
    def pull(body, sqlstate, reason, **mapping):
        text = body if isinstance(body, str) else json.dumps(body)
        declare(db, nginx("", {"/items": text}).url, pagination={"type": "none"}, **mapping)
        error = db.expect_error(sqlstate, reason, "SELECT sync_pull('items')")
        run = db.last_run("items")
        assert (run.status, run.error_code, run.error_reason) == ("failed", sqlstate, reason)
        assert db.value("SELECT count(*) FROM items") == 0
        return told(error)
    return pull


def test_records_that_are_no_array(refused):
    text = refused({"data": "none"}, "22000", "records_not_array", source={"path": "/items", "records_path": "data"})
    assert '"data"' in text and "string" in text


def test_an_absent_records_path_lists_the_keys_that_are_there(refused):
    text = refused({"results": [], "total": 0}, "22000", "records_not_array", source={"path": "/items", "records_path": "data"})
    assert '"data"' in text and "results" in text and "total" in text


def test_records_that_are_no_objects(refused):
    assert "number" in refused([1, 2], "22000", "record_not_object")


def test_all_calls_ignored(db, nginx):
    declare(db, nginx("", {"/other": "[]"}).url, pagination={"type": "none"},
            config={"errors": [{"when": {"status": 404}, "then": "ignore"}]})
    db.expect_error("22000", "all_calls_ignored", "SELECT sync_pull('items')")
    assert db.last_run("items").requests_ignored == 1


def test_too_many_pages(db, json_server):
    declare(db, json_server({"items": items(25)}).url, pagination={"type": "page", "param": "_page", "size": 10, "max_pages": 2})
    error = db.expect_error("22000", "too_many_pages", "SELECT sync_pull('items')")
    assert "2" in told(error) and "max_pages" in told(error)
    assert db.value("SELECT count(*) FROM items") == 0


def test_a_null_key_is_a_reject(db, nginx):
    declare(db, nginx("", {"/items": json.dumps([item(1), item(2, id=None), {"title": "none"}])}).url, pagination={"type": "none"})
    assert counts(db.pull("items")) == {"records_read": 3, "rows_inserted": 1, "rows_rejected": 2}
    for reject in db.rows("SELECT error_code, error_message, column_name FROM sys_sync_reject"):
        assert (reject.error_code, reject.column_name) == ("23505", "id") and "null" in reject.error_message, reject


def test_the_key_file_is_gone(make_cluster, make_database, fault_server, canary):
    """On a cluster of its own: the ring is the server's."""
    cluster = make_cluster("keyless")
    db = make_database(cluster)
    db.call("sync_secret_set", "token", canary)
    fault_server.on("/items", fault.ok(items(1)))
    declare(db, fault_server.url, pagination={"type": "none"}, auth={"type": "bearer", "credential_ref": "token"})
    db.pull("items")
    ring = cluster.directory / "data" / "pg_pull.key"
    kept = ring.rename(ring.with_suffix(".away"))
    error = db.expect_error("58P01", "key_unavailable", "SELECT sync_pull('items')")
    assert "pg_pull.key" in told(error) and canary not in told(error)
    db.expect_error("58P01", "key_unavailable", "SELECT sync_secret_set('other', 'x')")
    check = db.one("SELECT ok, message FROM sync_key_check()")
    assert not check.ok and "pg_pull.key" in check.message
    assert len(fault_server.requests) == 1
    kept.rename(ring)
    db.pull("items")


def test_nothing_is_started_on_a_standby(make_cluster, make_database, nginx):
    cluster = make_cluster("standby")
    db = make_database(cluster)
    declare(db, nginx("", {"/items": json.dumps(items(2))}).url, pagination={"type": "none"})
    run = db.pull("items")
    db.close()
    signal = cluster.directory / "data" / "standby.signal"
    signal.touch()
    cluster.restart()
    try:
        standby = Session(cluster.connect(db.name))
        for call in ("sync_pull('items')", "sync_pull('items', wait => false)", "sync_retry_rejects('items')",
                     f"sync_cancel({run.run_id})", "sync_preview('items')"):
            standby.expect_error("25006", "standby", f"SELECT {call}")
        standby.expect_error("25006", "standby", "CALL sync_run('items')")
        standby.expect_error("25006", None, "SELECT sync_mapping_alter('items', '{}')")
        assert standby.value("SELECT health FROM sync_status") == "ok"
        assert standby.value("SELECT count(*) FROM sync_progress") == 0
        standby.close()
    finally:
        signal.unlink(missing_ok=True)
        cluster.restart()
        db.connection = cluster.connect(db.name)


@pytest.mark.parametrize("then", ["", "CREATE EXTENSION pg_pull"], ids=["dropped", "made-anew"])
def test_the_extension_goes_while_a_pull_reads(db, fault_server, then):
    let_go = threading.Event()
    fault_server.on("/items", fault.hold(let_go, fault.ok(items(3))))
    declare(db, fault_server.url, pagination={"type": "none"})
    pull = db.background("SELECT sync_pull('items')")
    wait_until(lambda: fault_server.requests, 10, "the request")
    db.sql("DROP EXTENSION pg_pull CASCADE")
    if then:
        db.sql(then)
    let_go.set()
    error = pull.error()
    assert error.pgcode == "55000" and "Reason: extension_changed." in error.diag.message_detail, told(error)
    assert db.value("SELECT count(*) FROM items") == 0


def test_why_tls_failed_is_told(db, nginx):
    secure = nginx("", {"/items": json.dumps(items(3))}, tls=True)
    declare(db, secure.url, pagination={"type": "none"})
    error = db.expect_error("08006", "network", "SELECT sync_pull('items')")
    assert "certificate" in error.diag.message_detail and "self-signed" in error.diag.message_detail, told(error)
    assert "tls" in error.diag.message_hint, told(error)
    assert db.last_run("items").retries == 0, "a certificate does not become valid by asking again"


def test_a_certificate_for_another_name_is_told(db, nginx):
    secure = nginx("", {"/items": json.dumps(items(3))}, tls=True)
    declare(db, secure.url.replace("localhost", "api.localhost"), pagination={"type": "none"},
            config={"tls": {"ca": secure.certificate}})
    error = db.expect_error("08006", "network", "SELECT sync_pull('items')")
    assert "api.localhost" in told(error) and "name" in error.diag.message_detail, told(error)


def test_plain_http_behind_an_https_address_is_told(db, nginx):
    plain = nginx("", {"/items": "[]"})
    declare(db, plain.url.replace("http:", "https:"), pagination={"type": "none"})
    error = db.expect_error("08006", "network", "SELECT sync_pull('items')")
    assert "SSL" in told(error) or "TLS" in told(error), told(error)


def test_one_connector_more_changes_nothing_about_the_other(db, nginx):
    """Two connectors of different trust to one server: the connection of the one is never the other's."""
    secure = nginx("", {"/items": json.dumps(items(3))}, tls=True)
    declare(db, secure.url, pagination={"type": "none"}, config={"tls": {"ca": secure.certificate}})
    db.pull("items")
    connector(db, secure.url, name="distrusting")
    db.call("sync_mapping_alter", "items", json.dumps({"connector": "distrusting"}))
    db.expect_error("08006", "network", "SELECT sync_pull('items')")
