"""Another PostgreSQL as the source, over TCP with a password that it asks for."""

import pytest

from support.items import counts


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
