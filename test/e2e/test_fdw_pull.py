"""The fdw provider: any local or foreign table, or query, read through the server itself."""

import pytest

from support.items import counts


@pytest.fixture
def people(db):
    db.sql("CREATE TABLE people (id integer PRIMARY KEY, name text, changed_at timestamptz NOT NULL)")
    db.call("sync_connector_create", "here", provider="fdw")

    def declare(source, **changed):
        db.call("sync_mapping_create", "people", **{**{
            "connector": "here", "source": source, "target": "public.people", "mode": "upsert", "key": ["id"],
            "fields": {"id": "id", "name": "name", "changed_at": "changed_at"}}, **changed})
    return declare


ROWS = "SELECT n, 'person ' || n, timestamptz '2026-01-01 00:00+00' + n * interval '1 hour' FROM generate_series(1, 30) n"


def test_a_local_table(db, people):
    db.sql("CREATE TABLE staff (id integer, name text, changed_at timestamptz)")
    db.sql(f"INSERT INTO staff {ROWS}")
    people({"table": "public.staff"})
    assert counts(db.pull("people")) == {"records_read": 30, "rows_inserted": 30}
    db.sql("UPDATE staff SET name = 'x' WHERE id = 1")
    assert counts(db.pull("people")) == {"records_read": 30, "rows_updated": 1, "rows_unchanged": 29}


def test_a_query_with_a_condition(db, people):
    db.sql(f"CREATE VIEW source (id, name, changed_at) AS {ROWS}")
    people({"query": "SELECT * FROM public.source", "where": "id > 20"})
    assert counts(db.pull("people")) == {"records_read": 10, "rows_inserted": 10}


def test_a_foreign_table(db, people, remote_pg, canary):
    remote_pg.sql("CREATE TABLE staff (id integer, name text, changed_at timestamptz)")
    remote_pg.sql(f"INSERT INTO staff {ROWS}")
    db.sql("CREATE EXTENSION postgres_fdw")
    db.sql(f"CREATE SERVER far FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host '127.0.0.1', port '{remote_pg.cluster.port}',"
           f" dbname '{remote_pg.name}')")
    db.sql("CREATE USER MAPPING FOR CURRENT_USER SERVER far OPTIONS (user 'remote_reader', password %s)", canary)
    db.sql("CREATE FOREIGN TABLE staff (id integer, name text, changed_at timestamptz) SERVER far OPTIONS (schema_name 'public')")
    people({"table": "public.staff"}, watermark={"field": "changed_at", "lookback": "PT0S"})
    assert counts(db.pull("people")) == {"records_read": 30, "rows_inserted": 30}
    remote_pg.sql("INSERT INTO staff VALUES (31, 'new', '2026-02-01 00:00+00')")
    run = db.pull("people")
    assert counts(run) == {"records_read": 2, "rows_inserted": 1, "rows_unchanged": 1}


def test_the_owners_rights_decide(db, people):
    db.sql("CREATE TABLE secret_staff (id integer, name text, changed_at timestamptz)")
    db.sql("DROP ROLE IF EXISTS pg_pull_fdw_owner")
    db.sql("CREATE ROLE pg_pull_fdw_owner LOGIN")
    try:
        db.sql("GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA public TO pg_pull_fdw_owner")
        db.sql("GRANT ALL ON people TO pg_pull_fdw_owner")
        db.call("sync_connector_grant", "here", "pg_pull_fdw_owner")
        owner = db.session(user="pg_pull_fdw_owner")
        owner.call("sync_mapping_create", "people", connector="here", source={"table": "public.secret_staff"},
                   target="public.people", fields={"id": "id"}, mode="upsert", key=["id"])
        owner.expect_error("42501", None, "SELECT sync_pull('people')")
        owner.close()
    finally:
        db.sql("DROP OWNED BY pg_pull_fdw_owner")
        db.sql("DROP ROLE pg_pull_fdw_owner")
