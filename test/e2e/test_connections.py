"""Connections against oidc-provider, a certified server that rotates refresh tokens and revokes a grant whose token is used twice."""

import concurrent.futures
import time

import pytest

from support.servers import OidcProvider
from support.waiting import wait_until


@pytest.fixture
def provider(work_dir, tmp_path_factory):
    server = OidcProvider(tmp_path_factory.mktemp("oidc"))
    yield server
    server.stop()


@pytest.fixture
def short_provider(tmp_path_factory):
    """Access tokens live for two seconds."""
    server = OidcProvider(tmp_path_factory.mktemp("oidc"), 2)
    yield server
    server.stop()


def declare(db, provider, name="crm"):
    db.sql("SELECT sync_secret_set('crm_client', 'client-secret-canary')")
    db.sql("SELECT sync_connector_create(%s, 'rest', config => %s, auth => %s)", name,
           {"base_url": provider.url},
           {"type": "oauth2", "client_id": "pg_pull", "credential_ref": "crm_client", "scopes": ["openid", "offline_access"],
            "issuer": provider.url, "discovery": provider.url + "/.well-known/openid-configuration",
            "redirect_uri": provider.redirect_uri,
            "authorize": {"url": provider.url + "/auth", "query": {"prompt": "consent"}},
            "token": {"url": provider.url + "/token", "client_auth": "basic"},
            "revoke": {"url": provider.url + "/token/revocation", "client_auth": "basic"}})


def connect(db, provider, organization="org_a", name="crm"):
    begun = db.call("sync_connection_begin", name, organization)[0]
    params = provider.consent(begun.authorization_url)
    assert params.pop("state") == begun.state
    return begun, params, db.call("sync_connection_callback", begun.state, **params)[0]


def items(db, organization="org_a"):
    return db.value("SELECT sync_connector_call('crm', 'request', '{\"path\": \"/api/items\"}', organization => %s)", organization)


def test_consent_connects_and_a_call_uses_the_token(db, provider):
    declare(db, provider)
    begun, params, row = connect(db, provider)
    assert (row.organization_id, row.connector, row.status) == ("org_a", "crm", "connected")
    answer = items(db)
    assert answer["ok"] and answer["status"] == 200 and [item["id"] for item in answer["body"]] == [1, 2]
    # a second call with the same state reports the first outcome and sends nothing
    again = db.call("sync_connection_callback", begun.state, **params)[0]
    assert again == row and provider.stats()["authorization_code"] == 1
    assert db.value("SELECT status FROM sync_connection_read('crm', 'org_a')") == "connected"


def test_a_pull_uses_the_connection(db, provider):
    declare(db, provider)
    connect(db, provider)
    db.sql("CREATE TABLE items (id int PRIMARY KEY, account text)")
    db.sql("SELECT sync_mapping_create('items', 'crm', %s, 'public.items', %s, mode => 'upsert', key => '{id}')",
           {"path": "/api/items"}, {"id": "id", "account": "account"})
    run = db.pull("items", organization="org_a")
    assert (run.status, run.rows_inserted, run.organization_id) == ("succeeded", 2, "org_a") and run.connection_id
    run = db.pull("items")  # the only one that is connected
    assert run.organization_id == "org_a" and run.rows_unchanged == 2


def test_unknown_and_refused_authorizations(db, provider):
    declare(db, provider)
    db.expect_error("PT404", "state_unknown", "SELECT * FROM sync_connection_callback('nonsense', 'code')")
    state = db.call("sync_connection_begin", "crm", "org_a")[0].state
    for _ in range(2):
        db.expect_error("PT403", "authorization_refused",
                        "SELECT * FROM sync_connection_callback(%s, error => 'access_denied')", state)
    state = db.call("sync_connection_begin", "crm", "org_a")[0].state
    db.expect_error("PT400", "issuer_mismatch",
                    "SELECT * FROM sync_connection_callback(%s, 'code', iss => 'https://evil.example')", state)
    assert db.value("SELECT status FROM sync_connection_read('crm', 'org_a')") == "not_connected"
    assert provider.stats()["authorization_code"] == 0


def test_revoke_tells_the_provider_and_deletes(db, provider):
    declare(db, provider)
    connect(db, provider)
    revoked = db.call("sync_connection_revoke", "crm", "org_a")
    assert [row.remote for row in revoked] == ["revoked"]
    assert db.value("SELECT status FROM sync_connection_read('crm', 'org_a')") == "not_connected"
    db.expect_error("PT404", "not_connected", "SELECT * FROM sync_connection_revoke('crm', 'org_a')")
    db.expect_error("PT401", "not_connected", "SELECT sync_connector_call('crm', 'request', '{\"path\": \"/api/items\"}', 'org_a')")


def test_many_sessions_refresh_once(db, short_provider):
    declare(db, short_provider)
    connect(db, short_provider)
    sessions = [db.session() for _ in range(12)]
    for round_number in range(1, 4):
        time.sleep(2.1)
        with concurrent.futures.ThreadPoolExecutor(len(sessions)) as pool:
            answers = list(pool.map(items, sessions))
        assert all(answer["ok"] for answer in answers)
        stats = short_provider.stats()
        assert (stats["refresh_token"], stats["failed"]) == (round_number, 0)


def test_a_rolled_back_caller_loses_no_rotated_token(db, short_provider):
    declare(db, short_provider)
    connect(db, short_provider)
    for _ in range(2):
        time.sleep(2.1)
        session = db.session()
        session.connection.autocommit = False
        assert items(session)["ok"]
        session.connection.rollback()
    time.sleep(2.1)
    assert items(db)["ok"] and short_provider.stats()["failed"] == 0


def test_no_token_is_readable_in_a_dump(db, server, provider):
    declare(db, provider)
    connect(db, provider)
    text = db.value("SELECT string_agg(c::text, ' ') FROM sync_connection_store c")
    assert "client-secret-canary" not in text
    assert db.value("SELECT ok FROM sync_key_check()")
    assert db.value("SELECT sync_key_rotate()") >= 3
    assert items(db)["ok"]


STACK = {"manifest": {"id": "com.acme.crm", "namespace": "acme_crm", "version": "1"}}


def test_uninstalling_tells_the_provider_after_the_commit(db, provider):
    declare(db, provider, name="template")
    config, auth = db.one("SELECT config, auth FROM sys_sync_connector WHERE name = 'template'")
    db.sql("SELECT sync_package_install(%s)", {**STACK, "connectors": [
        {"name": "crm", "provider": "rest", "config": config, "auth": auth}]})
    connect(db, provider)
    session = db.session()
    session.connection.autocommit = False
    session.sql("SELECT sync_package_uninstall('com.acme.crm', connections => 'revoke')")
    assert provider.stats()["revoked"] == 0
    session.connection.rollback()
    assert items(db)["ok"]
    # a setting of the database does not reach the worker that tells it
    db.sql(f"ALTER DATABASE {db.name} SET default_transaction_read_only = on")
    db.sql("SELECT sync_package_uninstall('com.acme.crm', connections => 'revoke')")
    wait_until(lambda: db.value("SELECT count(*) FROM sync_revocation_store") == 0, 10, "the queue was sent")
    assert provider.stats()["revoked"] >= 1
    assert db.value("SELECT count(*) FROM sys_sync_connection") == 0


def test_a_test_of_a_connector_reports_and_refuses_as_the_door_does(db, provider):
    declare(db, provider)
    db.expect_error("PT401", "not_connected", "SELECT * FROM sync_connector_test('crm', 'org_a')")
    connect(db, provider)
    db.sql("SELECT sync_connector_create('down', 'rest', config => %s)", {"base_url": "http://127.0.0.1:9"})
    report = db.call("sync_connector_test", "down")[0]
    assert (report.ok, report.reason) == (False, "network") and report.duration_ms >= 0
    db.sql("SELECT sync_connector_create('open', 'rest', config => %s)", {"base_url": provider.url + "/stats"})
    report = db.call("sync_connector_test", "open")[0]
    assert (report.ok, report.status, report.reason) == (True, 200, None)
