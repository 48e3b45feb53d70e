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
    db.sql("DROP ROLE IF EXISTS fdw_owner")
    db.sql("CREATE ROLE fdw_owner LOGIN")
    try:
        db.sql("GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA public TO fdw_owner")
        db.sql("GRANT ALL ON people TO fdw_owner")
        db.call("sync_connector_grant", "here", "fdw_owner")
        owner = db.session(user="fdw_owner")
        owner.call("sync_mapping_create", "people", connector="here", source={"table": "public.secret_staff"},
                   target="public.people", fields={"id": "id"}, mode="upsert", key=["id"])
        owner.expect_error("42501", None, "SELECT sync_pull('people')")
        owner.close()
    finally:
        db.sql("DROP OWNED BY fdw_owner")
        db.sql("DROP ROLE fdw_owner")


def owner_session(db, role):
    db.sql(f"DROP ROLE IF EXISTS {role}")
    db.sql(f"CREATE ROLE {role} LOGIN")
    db.sql(f"GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA public TO {role}")
    db.sql(f"GRANT ALL ON people TO {role}")
    db.call("sync_connector_grant", "here", role)
    return db.session(user=role)


@pytest.fixture
def owner(db, people):
    role = f"owner_{db.name}"
    session = owner_session(db, role)
    session.role = role
    yield session
    session.close()
    db.sql(f"DROP OWNED BY {role}")
    db.sql(f"DROP ROLE {role}")


def declare_for(owner, source, **changed):
    owner.call("sync_mapping_create", "people", **{**{
        "connector": "here", "source": source, "target": "public.people", "fields": {"id": "id", "name": "name"},
        "mode": "upsert", "key": ["id"]}, **changed})


def test_functions_of_the_query_run_as_the_owner(db, owner):
    """To the last row: the rows are read before the transaction of the owner's rights ends."""
    db.sql("ALTER TABLE people ALTER changed_at DROP NOT NULL")
    db.sql("CREATE FUNCTION whoami() RETURNS text LANGUAGE plpgsql AS 'BEGIN RETURN current_user; END'")
    db.sql(f"GRANT EXECUTE ON FUNCTION whoami() TO {owner.role}")
    declare_for(owner, {"query": "SELECT n AS id, public.whoami() AS name FROM generate_series(1, 3000) n"})
    assert counts(owner.pull("people")) == {"records_read": 3000, "rows_inserted": 3000}
    assert db.tuples("SELECT DISTINCT name FROM people") == [(owner.role,)]


def test_row_security_of_the_source_is_obeyed(db, owner):
    db.sql("ALTER TABLE people ALTER changed_at DROP NOT NULL")
    db.sql(f"CREATE TABLE staff AS SELECT n AS id, 'x' AS name FROM generate_series(1, 10) n")
    db.sql("ALTER TABLE staff ENABLE ROW LEVEL SECURITY")
    db.sql("CREATE POLICY some_rows ON staff USING (id <= 4)")
    db.sql(f"GRANT SELECT ON staff TO {owner.role}")
    declare_for(owner, {"table": "public.staff"})
    assert counts(owner.pull("people")) == {"records_read": 4, "rows_inserted": 4}


def test_a_query_cannot_write(db, people):
    db.sql("CREATE TABLE log (n integer)")
    db.sql("CREATE FUNCTION note() RETURNS integer LANGUAGE plpgsql AS 'BEGIN INSERT INTO public.log VALUES (1); RETURN 1; END'")
    people({"query": "SELECT public.note() AS id, 'x' AS name, now() AS changed_at"})
    db.expect_error("25006", None, "SELECT sync_pull('people')")
    assert db.value("SELECT count(*) FROM log") == 0


def test_many_and_large_rows_come_in_pages(db, people):
    db.sql("CREATE TABLE staff AS SELECT n AS id, repeat(md5(n::text), CASE WHEN n % 1000 = 0 THEN 60000 ELSE 1 END) AS name,"
           " timestamptz '2026-01-01' AS changed_at FROM generate_series(1, 5000) n")
    people({"table": "public.staff"})
    run = db.pull("people")
    assert counts(run) == {"records_read": 5000, "rows_inserted": 5000} and run.pages >= 5
    assert db.value("SELECT count(*) FROM people JOIN staff USING (id, name, changed_at)") == 5000


def test_names_without_schema_are_explained(db, people):
    db.sql("CREATE TABLE staff (id integer, name text, changed_at timestamptz)")
    people({"table": "staff"})
    error = db.expect_error("42P01", None, "SELECT sync_pull('people')")
    assert "schema" in error.diag.message_hint


def test_a_query_that_fails_changes_nothing(db, people):
    people({"query": "SELECT n AS id, (1 / (n - 2500))::text AS name, now() AS changed_at FROM generate_series(1, 5000) n"})
    db.expect_error("22012", None, "SELECT sync_pull('people')")
    assert db.value("SELECT count(*) FROM people") == 0 and db.last_run("people").status == "failed"


def test_a_cancel_is_quick(db, people):
    people({"query": "SELECT n AS id, pg_sleep(0.01)::text AS name, now() AS changed_at FROM generate_series(1, 3000) n"})
    session = db.session()
    pull = db.background("SELECT sync_pull('people')")
    db.wait_for_run("people", "running")
    session.sql("SELECT pg_cancel_backend(%s)", pull.pid)
    assert pull.error(5).pgcode == "57014"
    assert db.value("SELECT count(*) FROM people") == 0


def test_the_watermark_is_part_of_the_query(db, people):
    db.sql("CREATE TABLE staff (id integer, name text, changed_at timestamptz)")
    db.sql(f"INSERT INTO staff {ROWS}")
    people({"table": "public.staff", "where": "id <> 29"}, watermark={"field": "changed_at", "lookback": "PT1H"})
    assert counts(db.pull("people")) == {"records_read": 29, "rows_inserted": 29}
    assert counts(db.pull("people")) == {"records_read": 1, "rows_unchanged": 1}
