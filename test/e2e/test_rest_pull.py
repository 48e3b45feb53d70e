"""REST: pages of a real JSON server land in a table; the same again writes nothing; what changed is changed."""

import decimal
import json

import pytest

from support import fault_server as fault
from support.items import FAST_RETRY, connector, counts, declare, item, items

PHYSICAL = "SELECT id, ctid::text, xmin::text FROM items ORDER BY id"


def test_all_pages_land(db, json_server):
    declare(db, json_server({"items": items(25)}).url)
    run = db.pull("items")
    assert (run.status, run.pages) == ("succeeded", 3)
    assert counts(run) == {"records_read": 25, "rows_inserted": 25}
    assert run.requests == 3 and run.bytes_read > 0 and run.worker_pid and run.finished_at >= run.started_at
    assert db.tuples("SELECT id, title, author FROM items WHERE id IN (1, 25) ORDER BY id") == [
        (1, "item 1", "user1"), (25, "item 25", "user1")]
    assert db.value("SELECT raw->'user'->>'login' FROM items WHERE id = 2") == "user2"
    assert db.last_run("items").run_id == run.run_id


def test_pull_again_writes_nothing(db, json_server):
    declare(db, json_server({"items": items(25)}).url)
    db.pull("items")
    before = db.tuples(PHYSICAL)
    run = db.pull("items")
    assert counts(run) == {"records_read": 25, "rows_unchanged": 25}
    assert db.tuples(PHYSICAL) == before


def test_changed_records_are_updated_and_only_these(db, json_server):
    api = json_server({"items": items(25)})
    declare(db, api.url)
    db.pull("items")
    before = dict((row[0], row[1:]) for row in db.tuples(PHYSICAL))
    api.change("items", 3, title="three")
    api.change("items", 4, title="four")
    api.add("items", item(26))
    run = db.pull("items")
    assert counts(run) == {"records_read": 26, "rows_inserted": 1, "rows_updated": 2, "rows_unchanged": 23}
    assert db.tuples("SELECT id, title FROM items WHERE id IN (3, 4) ORDER BY id") == [(3, "three"), (4, "four")]
    after = dict((row[0], row[1:]) for row in db.tuples(PHYSICAL))
    assert [key for key in before if before[key] != after[key]] == [3, 4]


def test_watermark_asks_only_for_what_is_new(db, json_server):
    api = json_server({"items": items(20)})
    declare(db, api.url, watermark={"field": "updated_at", "param": "updated_at_gte"})
    first = db.pull("items")
    assert first.watermark_from is None and first.watermark_to == "2026-01-21T12:00:00Z"
    api.add("items", item(21, updated_at="2026-02-01T00:00:00Z"))
    api.change("items", 1, title="one", updated_at="2026-02-02T00:00:00Z")
    second = db.pull("items")
    assert second.watermark_from.startswith("2026-01-21T12:00:00")
    assert counts(second) == {"records_read": 3, "rows_inserted": 1, "rows_updated": 1, "rows_unchanged": 1}
    assert second.watermark_to == "2026-02-02T00:00:00Z"


def test_full_ignores_the_watermark(db, json_server):
    declare(db, json_server({"items": items(5)}).url, watermark={"field": "updated_at", "param": "updated_at_gte"})
    db.pull("items")
    run = db.pull("items", full=True)
    assert run.is_full and run.watermark_from is None and run.records_read == 5


def test_link_header_is_followed(db, json_server):
    declare(db, json_server({"items": items(25)}).url, source={"path": "/items", "query": {"_page": "1", "_limit": "10"}},
            pagination={"type": "link_header"})
    run = db.pull("items")
    assert (run.pages, run.records_read) == (3, 25)


def test_values_keep_every_digit(db, nginx):
    text = '[{"id": 9007199254740993, "amount": 12345678901234567890.12345678901234567890, "at": "2026-01-01T10:00:00.123456+02:00"}]'
    db.sql("CREATE TABLE exact (id bigint PRIMARY KEY, amount numeric, at timestamptz, raw json)")
    connector(db, nginx("", {"/exact.json": text}).url)
    db.call("sync_mapping_create", "exact", connector="api", source={"path": "/exact.json"}, target="public.exact",
            fields={"id": "id", "amount": "amount", "at": "at", "raw": "$record"}, mode="upsert", key=["id"])
    db.pull("exact")
    row = db.one("SELECT id, amount, at AT TIME ZONE 'UTC' AS at, raw::text FROM exact")
    assert row.id == 9007199254740993
    assert row.amount == decimal.Decimal("12345678901234567890.12345678901234567890")
    assert row.at.isoformat() == "2026-01-01T08:00:00.123456"
    assert "12345678901234567890.12345678901234567890" in row.raw


def test_compressed_pages(db, nginx):
    site = nginx("gzip on; gzip_types application/json; gzip_min_length 1;", {"/items": json.dumps(items(200))})
    declare(db, site.url, pagination={"type": "none"})
    run = db.pull("items")
    assert run.records_read == 200 and run.bytes_read == len(json.dumps(items(200)))


def test_preview_shows_and_writes_nothing(db, json_server):
    declare(db, json_server({"items": items(25)}).url)
    rows = db.call("sync_preview", "items", 5)
    assert [row.ordinal for row in rows] == [1, 2, 3, 4, 5]
    assert rows[0].fields["title"] == "item 1" and rows[0].record["user"]["login"] == "user1"
    assert db.value("SELECT count(*) FROM items") == 0 and db.value("SELECT count(*) FROM sys_sync_run") == 0


def test_failed_pull_leaves_its_row_and_no_data(db, fault_server):
    fault_server.on("/items", fault.ok(items(10)), fault.status(500, {"error": "broken"}))
    declare(db, fault_server.url)
    error = db.expect_error("08006", "upstream_not_ok", "SELECT sync_pull('items')")
    assert "500" in error.diag.message_primary + error.diag.message_detail
    run = db.last_run("items")
    assert (run.status, run.error_code, run.error_reason) == ("failed", "08006", "upstream_not_ok")
    assert run.rows_inserted == 0 and db.value("SELECT count(*) FROM items") == 0
    assert run.retries == FAST_RETRY["attempts"] - 1


def test_a_run_row_survives_the_callers_rollback(db, json_server):
    declare(db, json_server({"items": items(3)}).url)
    other = db.session()
    other.connection.autocommit = False
    other.pull("items")
    other.connection.rollback()
    assert db.last_run("items").status == "succeeded" and db.value("SELECT count(*) FROM items") == 3


def test_retries_until_the_server_answers(db, fault_server):
    fault_server.on("/items", fault.status(503), fault.status(429, "", {"Retry-After": "1"}), fault.ok(items(3)))
    declare(db, fault_server.url, config={"retry": {**FAST_RETRY, "attempts": 5}})
    run = db.pull("items")
    assert (run.records_read, run.retries) == (3, 2)
    times = [request.time for request in fault_server.requests_of("/items")]
    assert times[2] - times[1] >= 1.0, "Retry-After was not honoured"
    assert run.throttled_ms >= 900


@pytest.mark.parametrize("broken, attempts", [
    (fault.cut_body(items(50), 300), 3), (fault.cut_body(items(50), 300, reset=True), 3), (fault.cut_chunked(items(50), 300), 3),
    (fault.close(), 3), (fault.close(reset=True), 3), (fault.wrong_length(items(5), 100000), 3),
    (fault.garbage(), 1)],  # something that does not speak HTTP will not learn it
    ids=["cut", "cut-reset", "cut-chunked", "closed", "reset", "wrong-length", "garbage"])
def test_broken_answers_are_never_records(db, fault_server, broken, attempts):
    fault_server.on("/items", broken)
    declare(db, fault_server.url, pagination={"type": "none"})
    error = db.expect_error("08006", None, "SELECT sync_pull('items')")
    assert "\n" not in error.diag.message_primary
    assert db.value("SELECT count(*) FROM items") == 0 and db.last_run("items").status == "failed"
    assert len(fault_server.requests) == attempts


def test_html_instead_of_json_is_told(db, nginx):
    page = "<html><body>Please log in</body></html>"
    declare(db, nginx("", {"/items/index.html": page}).url, source={"path": "/items/index.html"}, pagination={"type": "none"})
    error = db.expect_error("08006", None, "SELECT sync_pull('items')")
    told = error.diag.message_primary + error.diag.message_detail
    assert "200" in told and "text/html" in told and "Please log in" in told


def test_an_unusable_record_is_kept_with_its_reason(db, nginx):
    records = items(10)
    records[4]["updated_at"] = "yesterday-ish"
    declare(db, nginx("", {"/items": json.dumps(records)}).url, pagination={"type": "none"})
    run = db.pull("items")
    assert counts(run) == {"records_read": 10, "rows_inserted": 9, "rows_rejected": 1}
    reject = db.one("SELECT * FROM sys_sync_reject")
    assert (reject.record["id"], reject.column_name, reject.error_code, reject.status) == (5, "updated_at", "22007", "open")


def test_the_credential_is_sent_and_never_shown(db, fault_server, canary):
    fault_server.on("/items", fault.ok(items(2)))
    declare(db, fault_server.url, pagination={"type": "none"}, auth={"type": "bearer", "credential_ref": "PG_PULL_TEST_TOKEN"})
    db.pull("items")
    assert fault_server.requests[0].headers["authorization"] == f"Bearer {canary}"


def test_a_credential_that_the_answer_repeats_is_redacted(db, fault_server, canary):
    fault_server.on("/items", fault.status(400, f"your token {canary} is wrong"))
    declare(db, fault_server.url, pagination={"type": "none"}, auth={"type": "bearer", "credential_ref": "PG_PULL_TEST_TOKEN"})
    error = db.expect_error("08006", "upstream_not_ok", "SELECT sync_pull('items')")
    assert "your token" in error.diag.message_detail and canary not in str(error)


def test_a_reference_to_nothing_sends_nothing(db, fault_server):
    declare(db, fault_server.url, auth={"type": "bearer", "credential_ref": "PG_PULL_NOT_SET"})
    error = db.expect_error("28000", "credential_unresolved", "SELECT sync_pull('items')")
    assert "PG_PULL_NOT_SET" in error.diag.message_primary and not fault_server.requests


def test_a_next_link_to_another_origin_is_refused(db, fault_server, nginx):
    other = nginx("", {"/items": "[]"})
    fault_server.on("/items", fault.ok(items(2), {"Link": f'<{other.url}/items>; rel="next"'}))
    declare(db, fault_server.url, pagination={"type": "link_header"}, auth={"type": "bearer", "credential_ref": "PG_PULL_TEST_TOKEN"})
    db.expect_error("42501", "egress_denied", "SELECT sync_pull('items')")
    assert not other.requests() and db.value("SELECT count(*) FROM items") == 0


def test_a_page_that_comes_twice_is_a_loop(db, fault_server):
    fault_server.on("/items", fault.ok(items(2), {"Link": f'<{fault_server.url}/items>; rel="next"'}))
    declare(db, fault_server.url, pagination={"type": "link_header"})
    db.expect_error("22000", "pagination_loop", "SELECT sync_pull('items')")


def test_tls_is_verified(db, nginx):
    secure = nginx("", {"/items": json.dumps(items(3))}, tls=True)
    declare(db, secure.url, pagination={"type": "none"}, config={"tls": {"ca": secure.certificate}})
    assert db.pull("items").records_read == 3
    connector(db, secure.url, name="distrusted")
    db.sql("CREATE TABLE others (id bigint PRIMARY KEY)")
    db.call("sync_mapping_create", "distrusted", connector="distrusted", source={"path": "/items"}, target="public.others",
            fields={"id": "id"}, mode="upsert", key=["id"])
    db.expect_error("08006", "network", "SELECT sync_pull('distrusted')")


def test_loopback_is_closed_to_other_owners(db, nginx):
    site = nginx("", {"/items": "[]"})
    db.sql("DROP ROLE IF EXISTS plain_owner")
    db.sql("CREATE ROLE plain_owner LOGIN")
    db.sql("GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA public TO plain_owner")
    db.sql("GRANT CREATE, USAGE ON SCHEMA public TO plain_owner")
    try:
        owner = db.session(user="plain_owner")
        owner.sql("CREATE TABLE items (id bigint PRIMARY KEY)")
        connector(db, site.url, session=owner)
        owner.call("sync_mapping_create", "items", connector="api", source={"path": "/items"}, target="public.items",
                   fields={"id": "id"}, mode="upsert", key=["id"])
        owner.expect_error("42501", "egress_denied", "SELECT sync_pull('items')")
        assert not site.requests()
        owner.close()
    finally:
        db.sql("DROP OWNED BY plain_owner")
        db.sql("DROP ROLE plain_owner")
