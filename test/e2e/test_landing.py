"""How pages land: modes, deletes, refused records and their retry, computed columns, kinds of targets."""

import json

import pytest

from support.items import connector, counts
from support.waiting import wait_until

REJECTS = "SELECT record_key, column_name, error_code, status FROM sys_sync_reject ORDER BY reject_id"


class Feed:
    """One mapping `m` over one file of records."""

    def __init__(self, db, nginx):
        self.db = db
        self.site = nginx("", {"/r.json": "[]"})
        connector(db, self.site.url)

    def declare(self, table, fields, **mapping):
        if table:
            self.db.sql(table)
        arguments = {"connector": "api", "source": {"path": "/r.json"}, "target": "public.t", "fields": fields, "mode": "upsert",
                     "key": ["id"], "or_replace": True}
        self.db.call("sync_mapping_create", "m", **{**arguments, **mapping})

    def serve(self, records):
        self.site.write("/r.json", records if isinstance(records, str) else json.dumps(records))

    def pull(self, records, **named):
        self.serve(records)
        return self.db.pull("m", **named)

    def refused(self, records, sqlstate, reason, **named):
        self.serve(records)
        arguments = "".join(f", {name} => {json.dumps(value)}" for name, value in named.items())
        return self.db.expect_error(sqlstate, reason, f"SELECT sync_pull('m'{arguments})")


@pytest.fixture
def feed(db, nginx):
    return Feed(db, nginx)


PLAIN = "CREATE TABLE t (id int PRIMARY KEY, a text)"
AB = {"id": "id", "a": "a"}


def test_insert_appends_and_refuses_what_is_there(feed, db):
    feed.declare(PLAIN, AB, mode="insert", key=[])
    feed.pull([{"id": 1, "a": "x"}, {"id": 2, "a": "y"}])
    run = feed.pull([{"id": 2, "a": "z"}, {"id": 3, "a": "z"}])
    assert counts(run) == {"records_read": 2, "rows_inserted": 1, "rows_rejected": 1}
    assert db.tuples("SELECT id, a FROM t ORDER BY id") == [(1, "x"), (2, "y"), (3, "z")]


def test_update_ignores_records_without_a_row(feed, db):
    feed.declare(PLAIN, AB, mode="update")
    db.sql("INSERT INTO t VALUES (1, 'x'), (2, 'y')")
    run = feed.pull([{"id": 1, "a": "x"}, {"id": 2, "a": "Y"}, {"id": 3, "a": "z"}])
    assert counts(run) == {"records_read": 3, "rows_updated": 1, "rows_unchanged": 1, "records_ignored": 1}


def test_replace_leaves_exactly_what_was_pulled(feed, db):
    feed.declare(PLAIN, AB, mode="replace", max_delete_fraction=1.0)
    feed.pull([{"id": 1, "a": "x"}, {"id": 2, "a": "y"}])
    run = feed.pull([{"id": 2, "a": "y"}, {"id": 3, "a": "z"}])
    assert counts(run) == {"records_read": 2, "rows_inserted": 1, "rows_unchanged": 1, "rows_deleted": 1}
    assert db.tuples("SELECT id FROM t ORDER BY id") == [(2,), (3,)]


def test_replace_without_key_fails_at_a_refused_record(feed, db):
    feed.declare("CREATE TABLE t (id int CHECK (id > 0), a text)", AB, mode="replace", key=[])
    feed.pull([{"id": 1, "a": "x"}, {"id": 1, "a": "x"}])
    feed.refused([{"id": 5, "a": "q"}, {"id": -1, "a": "q"}], "23514", None)
    assert db.tuples("SELECT id, a FROM t") == [(1, "x"), (1, "x")]


def test_the_last_of_one_key_by_watermark_then_by_arrival_wins(feed, db):
    feed.declare("CREATE TABLE t (id int PRIMARY KEY, a text, at timestamptz)", {**AB, "at": "at"}, watermark={"field": "at", "param": "since"})
    run = feed.pull([{"id": 1, "a": "late", "at": "2026-01-02T00:00:00Z"}, {"id": 1, "a": "early", "at": "2026-01-01T00:00:00Z"},
                     {"id": 2, "a": "first"}, {"id": 2, "a": "second"}])
    assert counts(run) == {"records_read": 4, "rows_inserted": 2, "records_ignored": 2}
    assert db.tuples("SELECT id, a FROM t ORDER BY id") == [(1, "late"), (2, "second")]


def test_each_refused_record_is_kept_with_its_reason(feed, db):
    feed.declare("CREATE TABLE t (id int PRIMARY KEY, n int NOT NULL CHECK (n < 100), u text UNIQUE)", {"id": "id", "n": "n", "u": "u"})
    run = feed.pull('[{"id": 1, "n": 1}, {"id": 2, "n": "two"}, {"id": null, "n": 4}, {"id": 5}, {"id": 6, "n":  200},'
                    ' {"id": 7, "n": 7, "u": "same"}, {"id": 8, "n": 8, "u": "same"}, {"id": 9, "n": 9}]')
    assert counts(run) == {"records_read": 8, "rows_inserted": 3, "rows_rejected": 5}
    assert sorted(db.tuples(REJECTS), key=str) == sorted([
        ("2", "n", "22P02", "open"), (None, "id", "23505", "open"), ("5", "n", "23502", "open"), ("6", None, "23514", "open"),
        ("8", None, "23505", "open")], key=str)
    assert db.value("SELECT record::text FROM sys_sync_reject WHERE record_key = '6'") == '{"id": 6, "n":  200}'
    assert db.one("SELECT page, ordinal FROM sys_sync_reject WHERE record_key = '6'") == (1, 5)


def test_past_max_rejects_nothing_changes_and_the_rejects_are_kept(feed, db):
    feed.declare("CREATE TABLE t (id int PRIMARY KEY, a int CHECK (a > 0))", AB, max_rejects=2)
    for bad in ("no number", -1):  # refused while staging, and by the apply
        feed.refused([{"id": 1, "a": 1}] + [{"id": n, "a": bad} for n in range(2, 9)], "22000", "too_many_rejects")
        assert db.value("SELECT count(*) FROM t") == 0
        assert db.last_run("m").rows_rejected == 3
    assert db.value("SELECT count(*) FROM sys_sync_reject") == 6


def test_on_error_fail_stops_at_the_first(feed, db):
    feed.declare("CREATE TABLE t (id int PRIMARY KEY, a int)", AB, on_error="fail")
    error = feed.refused([{"id": 1, "a": 1}, {"id": 2, "a": "x"}], "22P02", None)
    assert 'record 2, column "a"' in error.diag.message_detail
    assert db.value("SELECT count(*) FROM t") == 0


def test_one_bad_record_in_many_is_found(feed, db):
    feed.declare("CREATE TABLE t (id int PRIMARY KEY, a int CHECK (a <> 7777))", AB)
    run = feed.pull([{"id": n, "a": n} for n in range(20000)])
    assert counts(run) == {"records_read": 20000, "rows_inserted": 19999, "rows_rejected": 1}
    assert db.tuples(REJECTS) == [("7777", None, "23514", "open")]


def test_the_same_record_refused_again_is_one_row(feed, db):
    feed.declare("CREATE TABLE t (id int PRIMARY KEY, a int)", AB)
    first = feed.pull([{"id": 1, "a": "x"}])
    second = feed.pull([{"id": 1, "a": "x"}])
    assert db.tuples("SELECT run_id, last_run_id, attempts FROM sys_sync_reject") == [(first.run_id, second.run_id, 2)]


def test_a_later_version_supersedes_a_reject(feed, db):
    feed.declare("CREATE TABLE t (id int PRIMARY KEY, a int)", AB)
    feed.pull([{"id": 1, "a": "x"}, {"id": 2, "a": "x"}])
    feed.pull([{"id": 1, "a": 5}])
    assert db.tuples(REJECTS) == [("1", "a", "22P02", "superseded"), ("2", "a", "22P02", "open")]


def test_retry_stores_what_the_target_takes_now(feed, db):
    feed.declare("CREATE TABLE t (id int PRIMARY KEY, a int CHECK (a < 10), at timestamptz)", {**AB, "at": "at"},
                 watermark={"field": "at", "param": "since"}, max_rejects=5)
    feed.pull([{"id": 1, "a": 50, "at": "2026-01-01T00:00:00Z"}, {"id": 2, "a": 60, "at": "2026-01-01T00:00:00Z"},
               {"id": 3, "a": "never", "at": "2026-01-01T00:00:00Z"}, {"id": 4, "a": 1, "at": "2026-01-03T00:00:00Z"}])
    cursor = db.tuples("SELECT value, run_id FROM sys_sync_cursor")
    db.sql("ALTER TABLE t DROP CONSTRAINT t_a_check")
    db.sql("INSERT INTO t VALUES (2, 5, '2026-02-01T00:00:00Z')")  # newer than the reject
    run = db.call("sync_retry_rejects", "m")[0]
    assert (run.status, run.trigger) == ("succeeded", "retry")
    assert db.tuples("SELECT id, a FROM t ORDER BY id") == [(1, 50), (2, 5), (4, 1)]
    assert db.tuples("SELECT record_key, status, attempts FROM sys_sync_reject ORDER BY record_key") == [
        ("1", "stored", 1), ("2", "superseded", 1), ("3", "open", 2)]
    assert db.tuples("SELECT value, run_id FROM sys_sync_cursor") == cursor


def test_absence_deletes_only_after_a_guard(feed, db):
    feed.declare(PLAIN, AB, delete_mode="hard")
    feed.pull([{"id": n, "a": "x"} for n in range(10)])
    feed.refused([{"id": 1, "a": "x"}], "55000", "delete_guard")
    feed.refused([], "55000", "delete_guard")
    assert db.value("SELECT count(*) FROM t") == 10
    run = feed.pull([{"id": n, "a": "x"} for n in range(6)])
    assert counts(run) == {"records_read": 6, "rows_unchanged": 6, "rows_deleted": 4}
    assert counts(feed.pull([], allow_mass_delete=True)) == {"rows_deleted": 6}


def test_soft_deletes_stamp_and_a_returning_row_is_updated(feed, db):
    feed.declare("CREATE TABLE t (id int PRIMARY KEY, a text, deleted_at timestamptz)", AB, delete_mode="soft",
                 deleted_when={"path": "gone", "equals": True})
    feed.pull([{"id": n, "a": "x"} for n in range(4)])
    run = feed.pull([{"id": n, "a": "x"} for n in range(2)] + [{"id": 2, "gone": True}])
    assert counts(run) == {"records_read": 3, "rows_unchanged": 2, "rows_deleted": 2}
    assert db.tuples("SELECT id, deleted_at = %s FROM t WHERE deleted_at IS NOT NULL ORDER BY id", run.started_at) == [(2, True), (3, True)]
    run = feed.pull([{"id": n, "a": "x"} for n in range(4)])
    assert counts(run) == {"records_read": 4, "rows_unchanged": 2, "rows_updated": 2}
    assert db.value("SELECT count(deleted_at) FROM t") == 0


def test_a_tombstone_for_no_row_deletes_nothing(feed, db):
    feed.declare(PLAIN, AB, delete_mode="hard", deleted_when={"path": "gone", "equals": True})
    run = feed.pull([{"id": 1, "a": "x"}, {"id": 7, "gone": True}])
    assert counts(run) == {"records_read": 2, "rows_inserted": 1}
    assert db.tuples("SELECT * FROM t") == [(1, "x")]


def test_refused_records_count_as_present(feed, db):
    feed.declare("CREATE TABLE t (id int PRIMARY KEY, a int)", AB, delete_mode="hard", max_delete_fraction=1.0)
    feed.pull([{"id": 1, "a": 1}, {"id": 2, "a": 2}, {"id": 3, "a": 3}])
    assert feed.pull([{"id": 1, "a": 1}, {"id": 2, "a": "bad"}]).rows_deleted == 1
    assert db.tuples("SELECT id FROM t ORDER BY id") == [(1,), (2,)]
    run = feed.pull([{"id": 1, "a": 1}, {"a": 5}])  # whose row could it be?
    assert run.rows_deleted == 0 and "deletes_skipped" in run.error_detail


def test_missing_keep_leaves_what_the_record_does_not_have(feed, db):
    feed.declare("CREATE TABLE t (id int PRIMARY KEY, a text, b text)", {**AB, "b": "b"}, missing="keep")
    feed.pull([{"id": 1, "a": "a", "b": "b"}])
    assert counts(feed.pull([{"id": 1, "a": "A"}])) == {"records_read": 1, "rows_updated": 1}
    assert counts(feed.pull([{"id": 1, "b": "b"}])) == {"records_read": 1, "rows_unchanged": 1}
    feed.pull([{"id": 1, "a": None}])
    assert db.tuples("SELECT a, b FROM t") == [(None, "b")]


def test_lookup_and_sql_columns(feed, db):
    db.sql("CREATE TABLE people (login text, id int); INSERT INTO people VALUES ('ann', 1), ('bob', 2), ('eve', 3), ('eve', 4)")
    feed.declare("CREATE TABLE t (id int PRIMARY KEY, who int, share int)", [
        {"source": "id", "target": "id"},
        {"source": "login", "target": "who", "transform": "lookup", "params": {"table": "public.people", "match": "login", "return": "id"}},
        {"target": "share", "transform": "sql", "params": {"expression": "100 / id -- a comment"}}])
    run = feed.pull([{"id": 1, "login": "ann"}, {"id": 2, "login": "nobody"}, {"id": 3, "login": "eve"}, {"id": 0, "login": "bob"}])
    assert counts(run) == {"records_read": 4, "rows_inserted": 2, "rows_rejected": 2}
    assert db.tuples("SELECT id, who, share FROM t ORDER BY id") == [(1, 1, 100), (2, None, 50)]
    assert sorted(db.tuples(REJECTS)) == [("0", None, "22012", "open"), ("3", "who", "21000", "open")]


def test_where_drops_records_before_anything_is_refused(feed, db):
    feed.declare(PLAIN, AB, source={"path": "/r.json", "where": "id IS NOT NULL AND a <> 'skip'"})
    run = feed.pull([{"id": 1, "a": "x"}, {"a": "no id"}, {"id": 2, "a": "skip"}])
    assert counts(run) == {"records_read": 3, "rows_inserted": 1, "records_ignored": 2}


def test_each_organization_has_its_slice(feed, db):
    feed.declare("CREATE TABLE t (org text, id int, a text, PRIMARY KEY (org, id))", {"org": "$organization", **AB}, mode="replace",
                 key=["org", "id"], max_delete_fraction=1.0)
    feed.pull([{"id": 1, "a": "x"}, {"id": 2, "a": "x"}], organization="one")
    feed.pull([{"id": 1, "a": "y"}], organization="two")
    assert feed.pull([{"id": 2, "a": "x"}], organization="one").rows_deleted == 1
    assert db.tuples("SELECT org, id, a FROM t ORDER BY org, id") == [("one", 2, "x"), ("two", 1, "y")]


def test_two_rows_of_one_key_are_an_error(feed, db):
    feed.declare("CREATE TABLE t (id int, a text)", AB)
    db.sql("INSERT INTO t VALUES (1, 'x'), (1, 'y')")
    error = feed.refused([{"id": 1, "a": "z"}], "23505", "key_duplicate")
    assert "(id)=(1)" in error.diag.message_detail
    assert db.tuples("SELECT a FROM t ORDER BY a") == [("x",), ("y",)]


def test_triggers_run_as_the_owner_also_when_deferred(feed, db):
    db.sql("CREATE TABLE seen (who text, op text)")
    db.sql("CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN"
           " PERFORM set_config('search_path', 'public', false); INSERT INTO public.seen VALUES (current_user, tg_op); RETURN NULL; END $$")
    db.sql("DROP ROLE IF EXISTS landing_owner; CREATE ROLE landing_owner NOLOGIN")
    feed.declare(PLAIN, AB)
    db.sql("ALTER TABLE t OWNER TO landing_owner; ALTER TABLE seen OWNER TO landing_owner")
    db.sql("CREATE CONSTRAINT TRIGGER later AFTER INSERT ON t DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION note()")
    db.sql("UPDATE sync_mapping SET owner = 'landing_owner'; SELECT sync_connector_grant('api', 'landing_owner')")
    db.sql("GRANT USAGE ON SCHEMA public TO landing_owner")
    try:
        feed.pull([{"id": 1, "a": "x"}])
        assert db.tuples("SELECT who, op FROM seen") == [("landing_owner", "INSERT")]
    finally:
        db.sql("DROP TABLE t, seen; DROP OWNED BY landing_owner; DROP ROLE landing_owner")


def test_names_of_any_kind(feed, db):
    table, key, long = 'We"ird .T', "Id.x", "x" * 63
    quoted = ['"' + name.replace('"', '""') + '"' for name in (table, key, long)]
    feed.declare(f"CREATE TABLE {quoted[0]} ({quoted[1]} int PRIMARY KEY, {quoted[2]} text, pg_pull_seq int, s int, t int)",
                 {key: "id", long: "a", "pg_pull_seq": "n", "s": "s", "t": "t"}, target=f"public.{quoted[0]}", key=[key], mode="replace",
                 max_delete_fraction=1.0)
    feed.pull([{"id": 1, "a": "\\N", "n": 1, "s": 2, "t": 3}])
    run = feed.pull([{"id": 1, "a": "tab\there\n", "n": 1, "s": 2, "t": 3}, {"id": 2, "a": "o'k"}])
    assert counts(run) == {"records_read": 2, "rows_updated": 1, "rows_inserted": 1}
    assert db.tuples(f"SELECT * FROM {quoted[0]} ORDER BY 1") == [(1, "tab\there\n", 1, 2, 3), (2, "o'k", None, None, None)]


def test_a_row_inserted_meanwhile_is_updated(feed, db):
    feed.declare(PLAIN, AB)
    other = db.session()
    other.connection.autocommit = False
    other.sql("INSERT INTO t VALUES (1, 'theirs')")
    feed.serve([{"id": 1, "a": "ours"}, {"id": 2, "a": "x"}])
    pull = db.background("SELECT * FROM sync_pull('m')")
    wait_until(lambda: db.rows("SELECT FROM pg_stat_activity WHERE backend_type = 'pg_pull worker' AND wait_event_type = 'Lock'"), 20,
               lambda: "the apply to wait for the other session")
    other.connection.commit()
    run = pull.result()[0]
    assert counts(run) == {"records_read": 2, "rows_inserted": 1, "rows_updated": 1}
    assert db.tuples("SELECT id, a FROM t ORDER BY id") == [(1, "ours"), (2, "x")]


def test_partitioned_target(feed, db):
    db.sql("CREATE TABLE t (id int, day date, a text, PRIMARY KEY (id, day)) PARTITION BY RANGE (day)")
    db.sql("CREATE TABLE t1 PARTITION OF t FOR VALUES FROM ('2026-01-01') TO ('2026-02-01')")
    feed.declare(None, {**AB, "day": "day"}, key=["id", "day"])
    run = feed.pull([{"id": 1, "day": "2026-01-05", "a": "x"}, {"id": 1, "day": "2026-03-05", "a": "x"}])
    assert counts(run) == {"records_read": 2, "rows_inserted": 1, "rows_rejected": 1}
    assert counts(feed.pull([{"id": 1, "day": "2026-01-05", "a": "y"}])) == {"records_read": 1, "rows_updated": 1}


def test_a_trigger_of_a_partition_within_a_partition_fills_what_is_missing(feed, db):
    db.sql("CREATE TABLE t (id int, a text NOT NULL, PRIMARY KEY (id)) PARTITION BY RANGE (id)")
    db.sql("CREATE TABLE t1 PARTITION OF t FOR VALUES FROM (0) TO (100) PARTITION BY RANGE (id)")
    db.sql("CREATE TABLE t11 PARTITION OF t1 FOR VALUES FROM (0) TO (100)")
    db.sql("CREATE FUNCTION fill() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN NEW.a := coalesce(NEW.a, 'none'); RETURN NEW; END$$")
    db.sql("CREATE TRIGGER fill BEFORE INSERT ON t11 FOR EACH ROW EXECUTE FUNCTION fill()")
    feed.declare(None, AB)
    assert counts(feed.pull([{"id": 1}, {"id": 2, "a": "x"}])) == {"records_read": 2, "rows_inserted": 2}
    assert db.tuples("SELECT id, a FROM t ORDER BY id") == [(1, "none"), (2, "x")]


def test_a_watermark_that_filters_here_looks_back_and_stands_beside_any_condition(feed, db):
    feed.declare("CREATE TABLE t (id int PRIMARY KEY, at timestamptz)", {"id": "id", "at": "at"},
                 source={"path": "/r.json", "where": "id < 100 -- the others are tests"},
                 watermark={"field": "at", "lookback": "PT1H"})
    feed.pull([{"id": 1, "at": "2026-01-01T12:00:00Z"}])
    late = [{"id": 2, "at": "2026-01-01T11:30:00Z"}, {"id": 3, "at": "2026-01-01T10:30:00Z"}, {"id": 200, "at": "2026-01-01T12:30:00Z"}]
    run = feed.pull(late)
    assert counts(run) == {"records_read": 3, "rows_inserted": 1, "records_ignored": 2}
    assert db.tuples("SELECT id FROM t ORDER BY id") == [(1,), (2,)]


def test_foreign_target_and_foreign_partition(feed, db):
    db.sql("CREATE EXTENSION postgres_fdw")
    db.sql("CREATE TABLE far (id int PRIMARY KEY, a text)")
    options = f"host '{db.cluster.socket_dir}', port '{db.cluster.port}', dbname '{db.name}'"
    db.sql(f"CREATE SERVER loop FOREIGN DATA WRAPPER postgres_fdw OPTIONS ({options})")
    db.sql("CREATE USER MAPPING FOR PUBLIC SERVER loop OPTIONS (user 'postgres')")
    db.sql("CREATE TABLE t (id int, a text) PARTITION BY RANGE (id)")
    db.sql("CREATE TABLE near PARTITION OF t FOR VALUES FROM (0) TO (10)")
    db.sql("CREATE FOREIGN TABLE t_far PARTITION OF t FOR VALUES FROM (10) TO (20) SERVER loop OPTIONS (table_name 'far')")
    feed.declare(None, AB, delete_mode="hard", max_delete_fraction=1.0)
    assert feed.pull([{"id": n, "a": "x"} for n in (1, 2, 11, 12)]).rows_inserted == 4
    run = feed.pull([{"id": 1, "a": "x"}, {"id": 2, "a": "y"}, {"id": 11, "a": "y"}, {"id": 13, "a": "n"}])
    assert counts(run) == {"records_read": 4, "rows_inserted": 1, "rows_updated": 2, "rows_unchanged": 1, "rows_deleted": 1}
    assert db.tuples("SELECT id, a FROM far ORDER BY id") == [(11, "y"), (13, "n")]


def test_new_keys_of_the_source_are_told_once(feed, db):
    feed.declare(PLAIN, AB)
    assert feed.pull([{"id": 1, "a": "x", "old": 1}]).error_detail is None
    assert feed.pull([{"id": 1, "a": "x", "old": 1, "new": 2}]).error_detail == {"unmapped_keys": ["new"]}
    assert feed.pull([{"id": 1, "a": "x", "old": 1, "new": 2}]).error_detail is None


def test_an_empty_pull_touches_nothing(feed, db):
    feed.declare(PLAIN, AB)
    assert counts(feed.pull([])) == {}
