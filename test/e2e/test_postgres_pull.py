"""Another PostgreSQL as the source, over TCP with a password that it asks for."""

import time

import pytest

from support.items import counts
from support.waiting import wait_until


@pytest.fixture
def shop(db, remote_pg):
    """The remote table orders and its mapping; returns the remote database."""
    remote_pg.sql("""CREATE TABLE orders (id bigint PRIMARY KEY, customer text, total numeric, placed date, tags text[], note jsonb,
                                          changed_at timestamptz NOT NULL)""")
    remote_pg.sql("""INSERT INTO orders SELECT n, 'customer ' || n, n * 1.005, date '2026-01-01' + n, ARRAY['a', 'b "c"'],
                     '{"n": 1}', timestamptz '2026-01-01 00:00:00+00' + n * interval '1 hour' FROM generate_series(1, 50) n""")
    db.sql("""CREATE TABLE orders (id bigint PRIMARY KEY, customer text, total numeric, placed date, tags text[], note jsonb,
                                   changed_at timestamptz)""")
    declare_connector(db, remote_pg.conninfo)
    return remote_pg


def declare_connector(db, conninfo, name="shop"):
    db.call("sync_connector_create", name, provider="postgres", config={"conninfo": conninfo},
            auth={"type": "basic", "credential_ref": "PG_PULL_TEST_TOKEN"})


def declare_mapping(db, **changed):
    columns = ["id", "customer", "total", "placed", "tags", "note", "changed_at"]
    db.call("sync_mapping_create", "orders", **{**{
        "connector": "shop", "source": {"table": "public.orders"}, "target": "public.orders",
        "fields": {column: column for column in columns}, "mode": "upsert", "key": ["id"]}, **changed})


def both(db, shop):
    query = "SELECT * FROM orders ORDER BY id"
    return db.tuples(query), shop.tuples(query)


def test_a_table_is_copied_exactly(db, shop):
    declare_mapping(db)
    assert counts(db.pull("orders")) == {"records_read": 50, "rows_inserted": 50}
    here, there = both(db, shop)
    assert here == there
    assert counts(db.pull("orders")) == {"records_read": 50, "rows_unchanged": 50}


def test_changes_follow(db, shop):
    declare_mapping(db)
    db.pull("orders")
    shop.sql("UPDATE orders SET total = 0, changed_at = changed_at + interval '1 year' WHERE id <= 5")
    shop.sql("INSERT INTO orders VALUES (51, 'new', 1, '2026-03-01', '{}', NULL, '2026-03-01 00:00+00')")
    assert counts(db.pull("orders")) == {"records_read": 51, "rows_inserted": 1, "rows_updated": 5, "rows_unchanged": 45}
    here, there = both(db, shop)
    assert here == there


def test_a_query_with_a_condition(db, shop):
    declare_mapping(db, source={"query": "SELECT *, upper(customer) AS loud FROM orders", "where": "id <= 7"},
                    fields={"id": "id", "customer": "loud"})
    assert counts(db.pull("orders")) == {"records_read": 7, "rows_inserted": 7}
    assert db.value("SELECT customer FROM orders WHERE id = 7") == "CUSTOMER 7"


def test_watermark_looks_back(db, shop):
    """Transactions commit late: what is five minutes older than the highest value is read again."""
    declare_mapping(db, watermark={"field": "changed_at"})
    db.pull("orders")
    shop.sql("INSERT INTO orders VALUES (60, 'late', 1, '2026-03-01', '{}', NULL, '2026-01-03 01:56:00+00')")
    shop.sql("INSERT INTO orders VALUES (61, 'too late', 1, '2026-03-01', '{}', NULL, '2026-01-03 01:54:00+00')")
    run = db.pull("orders")
    assert counts(run) == {"records_read": 2, "rows_inserted": 1, "rows_unchanged": 1}
    assert counts(db.pull("orders", full=True)) == {"records_read": 52, "rows_inserted": 1, "rows_unchanged": 51}


def test_rows_that_are_gone_are_deleted_within_the_guard(db, shop):
    declare_mapping(db, delete_mode="hard")
    db.pull("orders")
    shop.sql("DELETE FROM orders WHERE id > 45")
    assert counts(db.pull("orders")) == {"records_read": 45, "rows_unchanged": 45, "rows_deleted": 5}
    shop.sql("DELETE FROM orders")
    db.expect_error("55000", "delete_guard", "SELECT sync_pull('orders')")
    assert db.value("SELECT count(*) FROM orders") == 45
    run = db.pull("orders", allow_mass_delete=True)
    assert run.rows_deleted == 45 and db.value("SELECT count(*) FROM orders") == 0


def test_the_remote_error_arrives_whole(db, shop):
    declare_mapping(db, source={"query": "SELECT id, 1 / (id - 3) AS total FROM orders"}, fields={"id": "id", "total": "total"})
    error = db.expect_error("22012", None, "SELECT sync_pull('orders')")
    assert "division by zero" in error.diag.message_primary + (error.diag.message_detail or "")
    assert db.value("SELECT count(*) FROM orders") == 0 and db.last_run("orders").status == "failed"


def test_a_literal_password_is_refused(db, remote_pg):
    db.expect_error("22023", "credential_literal", "SELECT sync_connector_create('p', 'postgres', %s)",
                    {"conninfo": remote_pg.conninfo + " password=hunter2"})


def test_a_server_that_is_not_there(db, remote_pg):
    declare_connector(db, "host=127.0.0.1 port=1 dbname=none user=nobody")
    db.sql("CREATE TABLE orders (id bigint PRIMARY KEY)")
    declare_mapping(db, fields={"id": "id"})
    db.expect_error("08006", "network", "SELECT sync_pull('orders')")


EVERY_TYPE = """CREATE TABLE samples (id integer PRIMARY KEY, n numeric, f double precision, d date, t timestamptz, ts timestamp,
                                      b boolean, y bytea, i interval, a integer[], w text[], j json, k jsonb, u uuid, r int4range, s text)"""
SAMPLES = r"""INSERT INTO samples VALUES
    (1, 12345678901234567890.12345678901234567890, 0.1, '2026-02-03', '2026-02-03 04:05:06.123456+02', '2026-02-03 04:05:06', true,
     '\xdeadbeef00', '1 mon 2 days 03:04:05', '{{1,2},{3,4}}', ARRAY['a', 'b "c"', NULL, E'tab\t'], E'{\n  "a": 1.50,  "b": "\\u00e4"}',
     '{"x": [1, 2.50]}', '5d25db38-8c2f-4a3d-9b5f-0d6a5c7c9a11', '[1,5)', E'tab\t, line\n, back\\slash, \\N, "quotes", Ünï 😀'),
    (2, 'NaN', 'Infinity', 'infinity', '-infinity', NULL, false, '', NULL, '{}', '{}', NULL, '"text"', NULL, 'empty', ''),
    (3, -0.000000000000000000001, 1e-300, '0044-03-15 BC', '1999-12-31 23:59:59.999999+00', 'infinity', NULL, NULL, '-1 day +02:03:04',
     NULL, NULL, '"x"', '[]', NULL, NULL, NULL)"""
# The remote writes everything in another way than we read it, unless it is told.
ODD_SETTINGS = ("DateStyle = 'German'", "IntervalStyle = 'sql_standard'", "TimeZone = 'Asia/Kathmandu'", "bytea_output = 'escape'",
                "extra_float_digits = -10", "standard_conforming_strings = off", "client_encoding = 'LATIN1'")


@pytest.mark.parametrize("with_record", [False, True], ids=["as lines", "through the encoder"])
def test_every_type_arrives_as_it_was(db, remote_pg, with_record):
    remote_pg.sql(EVERY_TYPE)
    remote_pg.sql(SAMPLES)
    for setting in ODD_SETTINGS:
        remote_pg.sql(f"ALTER DATABASE {remote_pg.name} SET {setting}")
    db.sql(EVERY_TYPE)
    db.sql("ALTER TABLE samples ADD record text")
    declare_connector(db, remote_pg.conninfo)
    fields = {column: column for column in "id n f d t ts b y i a w j k u r s".split()}
    if with_record:
        fields["record"] = "$record"
    db.call("sync_mapping_create", "samples", connector="shop", source={"table": "samples"}, target="public.samples", fields=fields,
            mode="upsert", key=["id"])
    assert counts(db.pull("samples")) == {"records_read": 3, "rows_inserted": 3}
    query = ("SELECT id, n::text, f::text, d::text, t::text, ts::text, b, encode(y, 'hex'), i::text, a, w, j::text, k, u, r::text, s"
             " FROM samples ORDER BY id")
    for setting in ("DateStyle = 'ISO'", "IntervalStyle = 'postgres'", "TimeZone = 'UTC'", "extra_float_digits = 1",
                    "standard_conforming_strings = on", "client_encoding = 'UTF8'"):
        remote_pg.sql(f"SET {setting}")
        db.sql(f"SET {setting}")
    assert db.tuples(query) == remote_pg.tuples(query)


def test_columns_of_other_types_take_the_values_that_json_would_give(db, remote_pg):
    """Whether the rows come as lines or as records is not to be seen in the target."""
    remote_pg.sql("CREATE TABLE mixed (id integer, flag boolean, at timestamptz, list integer[], doc jsonb)")
    remote_pg.sql("""INSERT INTO mixed VALUES (1, true, '2026-02-03 04:05:06+00', '{1,2}', '"word"'), (2, NULL, NULL, NULL, '{"a": 1}')""")
    declare_connector(db, remote_pg.conninfo)
    seen = []
    for name, more in (("lines", {}), ("records", {"record": "$record"})):
        db.sql(f"CREATE TABLE {name} (id integer PRIMARY KEY, flag text, at text, list jsonb, doc text, record text)")
        db.call("sync_mapping_create", name, connector="shop", source={"table": "mixed"}, target=f"public.{name}", mode="upsert", key=["id"],
                fields={"id": "id", "flag": "flag", "at": "at", "list": "list", "doc": "doc", **more})
        db.pull(name)
        seen.append(db.tuples(f"SELECT id, flag, at, list, doc FROM {name} ORDER BY id"))
    assert seen[0] == seen[1]
    assert seen[0] == [(1, "true", "2026-02-03T04:05:06+00:00", [1, 2], "word"), (2, None, None, None, '{"a": 1}')]


def test_constants_and_values_of_the_run_stand_beside_the_columns(db, remote_pg):
    remote_pg.sql("CREATE TABLE orders AS SELECT n AS id FROM generate_series(1, 3) n")
    db.sql("CREATE TABLE orders (org text, id integer, source text, pulled timestamptz, run bigint, PRIMARY KEY (org, id))")
    declare_connector(db, remote_pg.conninfo)
    fields = [{"source": "id", "target": "id"}, {"source": "$organization", "target": "org"},
              {"source": "$pulled_at", "target": "pulled"}, {"source": "$run_id", "target": "run"},
              {"target": "source", "transform": "constant", "params": {"value": "it's \\ \t"}}]
    declare_mapping(db, fields=fields, key=["org", "id"])
    run = db.pull("orders", organization="o'rg\\")
    assert db.tuples("SELECT DISTINCT org, source, pulled, run FROM orders") == [("o'rg\\", "it's \\ \t", run.started_at, run.run_id)]
    assert counts(db.pull("orders", organization="other")) == {"records_read": 3, "rows_inserted": 3}


def test_many_rows_come_in_pages(db, remote_pg):
    remote_pg.sql("CREATE TABLE orders AS SELECT n AS id, repeat('x', 20) || n AS customer FROM generate_series(1, 25000) n")
    db.sql("CREATE TABLE orders (id integer PRIMARY KEY, customer text)")
    declare_connector(db, remote_pg.conninfo)
    declare_mapping(db, fields={"id": "id", "customer": "customer"})
    run = db.pull("orders")
    assert counts(run) == {"records_read": 25000, "rows_inserted": 25000} and run.pages == 3
    here, there = both(db, remote_pg)
    assert here == there


def test_a_row_that_the_target_refuses_is_kept(db, remote_pg):
    remote_pg.sql("CREATE TABLE orders AS SELECT n AS id, CASE n WHEN 70 THEN 'seven\tty' ELSE n::text END AS total FROM generate_series(1, 100) n")
    db.sql("CREATE TABLE orders (id integer PRIMARY KEY, total integer)")
    declare_connector(db, remote_pg.conninfo)
    declare_mapping(db, fields={"id": "id", "total": "total"})
    assert counts(db.pull("orders")) == {"records_read": 100, "rows_inserted": 99, "rows_rejected": 1}
    record = db.value("SELECT record FROM sys_sync_reject WHERE mapping = 'orders'")
    assert str(record["id"]) == "70" and record["total"] == "seven\tty"


def test_a_column_that_is_not_there_is_named(db, remote_pg):
    remote_pg.sql("CREATE TABLE orders (id integer, customer text)")
    db.sql("CREATE TABLE orders (id integer PRIMARY KEY, customer text)")
    declare_connector(db, remote_pg.conninfo)
    declare_mapping(db, fields={"id": "id", "customer": "custommer"})
    error = db.expect_error("42703", "upstream_not_ok", "SELECT sync_pull('orders')")
    assert '"custommer"' in error.diag.message_primary and '"customer"' in error.diag.message_detail


def test_only_the_columns_of_the_mapping_are_read(db, remote_pg):
    """Rights to single columns are enough."""
    remote_pg.sql("CREATE TABLE people (id integer, name text, salary numeric)")
    remote_pg.sql("INSERT INTO people VALUES (1, 'a', 100)")
    remote_pg.sql("REVOKE ALL ON people FROM remote_reader")
    remote_pg.sql("GRANT SELECT (id, name) ON people TO remote_reader")
    db.sql("CREATE TABLE orders (id integer PRIMARY KEY, customer text)")
    declare_connector(db, remote_pg.conninfo)
    declare_mapping(db, source={"table": "people"}, fields={"id": "id", "customer": "name"})
    assert counts(db.pull("orders")) == {"records_read": 1, "rows_inserted": 1}


def test_nothing_is_written_at_the_remote(db, remote_pg):
    remote_pg.sql("CREATE TABLE log (n integer)")
    remote_pg.sql("GRANT ALL ON log TO remote_reader")
    remote_pg.sql("CREATE FUNCTION note() RETURNS integer LANGUAGE sql AS 'INSERT INTO log VALUES (1) RETURNING n'")
    db.sql("CREATE TABLE orders (id integer PRIMARY KEY)")
    declare_connector(db, remote_pg.conninfo)
    declare_mapping(db, source={"query": "SELECT note() AS id"}, fields={"id": "id"})
    db.expect_error("25006", "upstream_not_ok", "SELECT sync_pull('orders')")
    db.call("sync_mapping_create", "second", connector="shop", target="public.orders", fields={"id": "id"}, mode="upsert", key=["id"],
            source={"query": "SELECT 1 AS id) q) TO STDOUT; COMMIT; INSERT INTO log VALUES (2); COPY (SELECT 1 FROM (SELECT 1 AS id"},
            or_replace=True)
    db.expect_error("42601", "upstream_not_ok", "SELECT sync_pull('second')")
    assert remote_pg.value("SELECT count(*) FROM log") == 0


SLOW = {"query": "SELECT n AS id, pg_sleep(0.01)::text AS customer FROM generate_series(1, 3000) n"}
REMOTE_READERS = "FROM pg_stat_activity WHERE usename = 'remote_reader' AND state = 'active' AND datname = current_database()"


@pytest.fixture
def slow(db, remote_pg):
    db.sql("CREATE TABLE orders (id integer PRIMARY KEY, customer text)")
    db.sql("INSERT INTO orders VALUES (7, 'before')")
    declare_connector(db, remote_pg.conninfo)
    declare_mapping(db, source=SLOW, fields={"id": "id", "customer": "customer"}, mode="replace", key=["id"])
    return remote_pg


def unchanged(db):
    return db.tuples("SELECT * FROM orders") == [(7, "before")]


def test_a_remote_that_dies_in_mid_stream_is_no_end(db, slow):
    """With replace and deletes by absence, half of the rows must never be taken for all."""
    pull = db.background("SELECT sync_pull('orders')")
    wait_until(lambda: slow.value(f"SELECT count(pg_terminate_backend(pid)) {REMOTE_READERS}"), 20, "the remote query to run")
    error = pull.error()
    assert error.pgcode == "08006" and unchanged(db)
    assert db.last_run("orders").status == "failed"


def test_a_cancel_is_quick_and_reaches_the_remote(db, slow):
    session = db.session()
    pull = db.background("SELECT sync_pull('orders')")
    wait_until(lambda: slow.value(f"SELECT count(*) {REMOTE_READERS}"), 20, "the remote query to run")
    started = time.monotonic()
    session.sql("SELECT pg_cancel_backend(%s)", pull.pid)
    assert pull.error().pgcode == "57014"
    assert time.monotonic() - started < 5
    wait_until(lambda: not slow.value(f"SELECT count(*) {REMOTE_READERS}"), 5, "the remote query to be gone")
    assert unchanged(db)


def test_a_wrong_password(db, remote_pg):
    declare_connector(db, remote_pg.conninfo.replace("remote_reader", "postgres"))
    db.sql("CREATE TABLE orders (id integer PRIMARY KEY)")
    declare_mapping(db, fields={"id": "id"})
    error = db.expect_error("28P01", "upstream_not_ok", "SELECT sync_pull('orders')")
    assert "127.0.0.1" in error.diag.message_detail


@pytest.fixture
def plain_owner(db, canary):
    """A session of a role without privileges that may use the extension, with a secret of its own."""
    role = f"plain_{db.name}"
    db.sql(f"CREATE ROLE {role} LOGIN")
    db.sql(f"GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA public TO {role}")
    session = db.session(user=role)
    session.call("sync_secret_set", "shop_password", canary)
    session.role = role
    yield session
    session.close()
    db.sql(f"DROP OWNED BY {role}")
    db.sql(f"DROP ROLE {role}")


def declare_as(owner, db, conninfo):
    owner.call("sync_connector_create", "mine", provider="postgres", config={"conninfo": conninfo},
               auth={"type": "basic", "credential_ref": "shop_password"})
    db.sql("CREATE TABLE orders (id bigint PRIMARY KEY)")
    db.sql(f"ALTER TABLE orders OWNER TO {owner.role}")
    owner.call("sync_mapping_create", "orders", connector="mine", source={"query": "SELECT 1 AS id"}, target="public.orders",
               fields={"id": "id"}, mode="upsert", key=["id"])


def test_an_owner_without_rights_cannot_use_what_the_servers_account_may(db, remote_pg, plain_owner):
    """A socket that trusts the operating system's user is open to superusers only."""
    socket = f"host={remote_pg.cluster.socket_dir} port={remote_pg.cluster.port} dbname={remote_pg.name} user=remote_reader"
    declare_as(plain_owner, db, socket)
    plain_owner.expect_error("2F003", None, "SELECT sync_pull('orders')")
    assert db.value("SELECT count(*) FROM orders") == 0


def test_an_owner_without_rights_reaches_no_private_address(db, remote_pg, plain_owner):
    declare_as(plain_owner, db, remote_pg.conninfo)
    plain_owner.expect_error("42501", "egress_denied", "SELECT sync_pull('orders')")


def test_options_that_open_files_are_for_superusers(db, remote_pg, plain_owner):
    for option in ("passfile=/etc/passwd", "sslkey=/etc/passwd", "service=x", "options=-cwork_mem=1GB"):
        plain_owner.expect_error("42501", None, "SELECT sync_connector_create('mine', 'postgres', %s)",
                                 {"conninfo": f"{remote_pg.conninfo} {option}"})


def test_a_preview_shows_records(db, shop):
    declare_mapping(db)
    rows = db.call("sync_preview", "orders", 5)
    assert len(rows) == 5 and rows[0].record["customer"].startswith("customer ")
    assert db.value("SELECT count(*) FROM orders") == 0
