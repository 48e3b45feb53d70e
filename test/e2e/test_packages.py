"""Packages beside running pulls, and two sessions that install at once."""

import json

from support import fault_server as fault
from support.items import FAST_RETRY, FIELDS, TABLE, counts, items
from support.waiting import wait_until


def stack(url, version="1", package="com.acme.items", names=("api",), mappings=True):
    mapping = {"name": "items", "connector": "api", "source": {"path": "/items", "query": {"_limit": "10"}}, "target": "public.items",
               "pagination": {"type": "page", "param": "_page", "size": 10}, "fields": FIELDS, "mode": "upsert", "key": ["id"]}
    return json.dumps({"manifest": {"id": package, "namespace": package.split(".")[-1], "version": version},
                       "connectors": [{"name": name, "provider": "rest", "config": {"base_url": url, "retry": FAST_RETRY}} for name in names],
                       "mappings": [mapping] if mappings else []})


INSTALL = "SELECT restamped FROM sync_package_install(%s)"


def test_a_package_is_pulled(db, json_server):
    db.sql(TABLE)
    db.value(INSTALL, stack(json_server({"items": items(25)}).url))
    run = db.pull("items")
    assert (run.status, run.package_id) == ("succeeded", "com.acme.items")
    assert counts(run) == {"records_read": 25, "rows_inserted": 25}
    assert db.pull("items", package="com.acme.items").status == "succeeded"


def test_a_running_mapping_is_neither_changed_nor_dropped(db, fault_server):
    fault_server.on("/items", fault.ok(items(10)), fault.stall_headers())
    db.sql(TABLE)
    db.value(INSTALL, stack(fault_server.url))
    pull = db.background("SELECT sync_pull('items')")
    wait_until(lambda: len(fault_server.requests) == 2 or not pull.running, 20, "the second page to be asked for")
    db.expect_error("55006", "already_running", "SELECT sync_package_uninstall('com.acme.items')")
    db.expect_error("55006", "already_running", INSTALL, stack(fault_server.url, "2", mappings=False))
    # what stays as it is may go on running
    db.value(INSTALL, stack(fault_server.url, "3", names=("api", "more")))
    db.value("SELECT sync_cancel(%s)", db.wait_for_run("items", "running").run_id)
    assert pull.error().pgcode == "57014"
    db.sql("SELECT sync_package_uninstall('com.acme.items')")
    assert db.value("SELECT count(*) FROM sync_mapping") == 0


def test_two_that_install_at_once_are_first_and_second_holder(db):
    db.sql("INSERT INTO sync_connection_store (organization_id, connector) VALUES ('one', 'api')")
    first = db.session()
    first.connection.autocommit = False
    assert first.value(INSTALL, stack("https://a.example.com", package="com.acme.first", mappings=False)) == 0
    second = db.background(INSTALL, stack("https://b.example.com", package="com.acme.second", mappings=False))
    wait_until(lambda: db.value("SELECT count(*) FROM pg_locks WHERE NOT granted") == 1, 20, "the second to wait for the first")
    first.connection.commit()
    second.result()
    assert db.value("SELECT package_id FROM sync_connection_store") == "com.acme.first"
    first.close()
