"""The worker's life: cancelled, timed out, abandoned, killed, blocked by its own caller; and what others can see of it."""

import json
import os
import select
import signal
import threading
import time

import psycopg2
import pytest

from support import fault_server as fault
from support.database import WORKERS
from support.items import connector, counts, declare, item, items
from support.waiting import wait_until

# A cancel must be answered within 200 ms; the rest is the way of the message on a busy machine.
PROMPT_SECONDS = 1.5


@pytest.fixture
def stalled(db, fault_server):
    """A mapping whose second page never comes."""
    fault_server.on("/items", fault.ok(items(10)), fault.stall_headers())
    declare(db, fault_server.url)
    return fault_server


def start_pull(db, stalled, **more):
    pull = db.background("SELECT sync_pull('items')", **more)
    wait_until(lambda: len(stalled.requests) == 2 or not pull.running, 20, "the second page to be asked for")
    assert pull.running, pull.error()
    return pull


def test_cancel_by_run_id(db, stalled):
    pull = start_pull(db, stalled)
    run_id = db.wait_for_run("items", "running").run_id
    start = time.monotonic()
    assert db.value("SELECT sync_cancel(%s)", run_id) is True
    error = pull.error()
    assert time.monotonic() - start < PROMPT_SECONDS
    assert error.pgcode == "57014"
    run = db.wait_for_run("items", "cancelled")
    assert (run.run_id, run.rows_inserted, run.error_reason) == (run_id, 0, "cancelled")
    assert db.value("SELECT count(*) FROM items") == 0
    assert db.value("SELECT sync_cancel(%s)", run_id) is False


def test_cancelled_caller_takes_its_worker_along(db, stalled):
    pull = start_pull(db, stalled)
    start = time.monotonic()
    db.value("SELECT pg_cancel_backend(%s)", pull.pid)
    assert pull.error().pgcode == "57014"
    db.wait_for_run("items", "cancelled")
    assert time.monotonic() - start < PROMPT_SECONDS


def test_statement_timeout_of_the_caller_ends_the_pull(db, stalled):
    pull = start_pull(db, stalled, options="-c statement_timeout=1500")
    assert pull.error().pgcode == "57014"
    db.wait_for_run("items", "cancelled")


def test_killed_caller_takes_its_worker_along(db, stalled):
    pull = start_pull(db, stalled)
    db.value("SELECT pg_terminate_backend(%s)", pull.pid)
    pull.error()
    wait_until(lambda: not db.rows(WORKERS), 5, "the worker to be gone")
    assert db.wait_for_run("items", "cancelled").rows_inserted == 0


def test_a_pull_that_nobody_waits_for_outlives_its_caller(db, fault_server):
    let_go = threading.Event()
    fault_server.on("/items", fault.hold(let_go, fault.ok(items(3))))
    declare(db, fault_server.url, pagination={"type": "none"})
    caller = db.session()
    run = caller.pull("items", wait=False)
    assert run.status == "running" and run.worker_pid
    caller.close()
    wait_until(lambda: fault_server.requests, 10, "the request")
    let_go.set()
    assert counts(db.wait_for_run("items", "succeeded")) == {"records_read": 3, "rows_inserted": 3}


def test_a_killed_worker_leaves_no_row_and_the_next_pull_goes(server, make_database, fault_server, request):
    """SIGKILL makes the server restart every session: on a cluster that is used after it comes back."""
    request.node.expects_crash = True
    db = make_database(server)
    fault_server.on("/items", fault.ok(items(10)), fault.stall_headers())
    declare(db, fault_server.url)
    run = db.pull("items", wait=False)
    wait_until(lambda: len(fault_server.requests) == 2, 20, "the second page to be asked for")
    os.kill(run.worker_pid, signal.SIGKILL)

    def reconnected():
        try:
            db.connection = server.connect(db.name)
            return True
        except psycopg2.OperationalError:
            return False
    wait_until(lambda: db.connection.closed or _broken(db), 10, "the crash to be noticed")
    wait_until(reconnected, 30, "the server to come back")
    assert db.value("SELECT count(*) FROM items") == 0
    fault_server.on("/items", fault.ok(items(3)))
    assert counts(db.pull("items")) == {"records_read": 3, "rows_inserted": 3}
    old = db.one("SELECT status FROM sys_sync_run WHERE run_id = %s", run.run_id)
    assert old.status == "interrupted"


def _broken(db):
    try:
        db.value("SELECT 1")
        return False
    except psycopg2.Error:
        return True


def test_two_pulls_of_one_mapping(db, stalled):
    pull = start_pull(db, stalled)
    running = db.wait_for_run("items", "running").run_id
    error = db.expect_error("55006", "already_running", "SELECT sync_pull('items')")
    assert str(running) in error.diag.message_primary + error.diag.message_detail
    skipped = db.pull("items", if_running="skip")
    assert skipped.status == "skipped"
    waiting = db.background("SELECT sync_pull('items', if_running => 'wait')")
    stalled.on("/items", fault.ok([item(1)]))
    db.value("SELECT sync_cancel(%s)", running)
    assert pull.error().pgcode == "57014"
    waiting.result()
    assert db.last_run("items").status == "succeeded"


def test_a_caller_that_blocks_its_worker_is_told(db, json_server):
    declare(db, json_server({"items": items(3)}).url)
    caller = db.session()
    caller.connection.autocommit = False
    caller.sql("LOCK TABLE items IN ACCESS EXCLUSIVE MODE")
    caller.expect_error("55P03", "caller_holds_lock", "SELECT sync_pull('items')")
    caller.connection.rollback()
    assert db.wait_for_run("items", "failed").rows_inserted == 0


def test_what_is_not_committed_cannot_be_pulled_yet(db, json_server):
    api = json_server({"items": items(3)})
    db.connection.autocommit = False
    try:
        declare(db, api.url)
        db.expect_error("55000", "not_visible_yet", "SELECT sync_pull('items')")
    finally:
        db.connection.rollback()
        db.connection.autocommit = True


def test_nothing_is_held_while_the_network_is_waited_for(db, stalled):
    start_pull(db, stalled)
    worker = db.wait_for_run("items", "running").worker_pid
    wait_until(lambda: db.one("SELECT state FROM pg_stat_activity WHERE pid = %s", worker).state != "active", 5, "the worker to wait")
    row = db.one("SELECT xact_start, backend_xmin FROM pg_stat_activity WHERE pid = %s", worker)
    assert row.xact_start is None and row.backend_xmin is None
    kinds = {lock.locktype for lock in db.rows("SELECT DISTINCT locktype FROM pg_locks WHERE pid = %s", worker)}
    assert kinds <= {"advisory", "userlock"}, kinds
    db.value("SELECT sync_cancel(run_id) FROM sys_sync_run WHERE status = 'running'")
    db.wait_for_run("items", "cancelled")


def test_others_can_watch_it(db, stalled):
    start_pull(db, stalled)
    run_id = db.wait_for_run("items", "running").run_id
    progress = db.session()

    def seen():
        rows = progress.rows("SELECT * FROM sync_progress WHERE run_id = %s AND pages = 1", run_id)
        return rows[0] if rows else None
    row = wait_until(seen, 5, lambda: f"the progress: {progress.rows('SELECT * FROM sync_progress')}")
    assert (row.mapping, row.phase, row.records_read) == ("items", "fetching", 10)
    assert db.rows(WORKERS)[0].application_name == "pg_pull: items"
    assert db.one("SELECT health FROM sync_status WHERE mapping = 'items'").health == "running"
    db.value("SELECT sync_cancel(%s)", run_id)
    wait_until(lambda: not db.rows("SELECT 1 FROM sync_progress"), 5, "the progress row to go")
    db.wait_for_run("items", "cancelled")


def test_who_may_watch_what(db, stalled):
    """The view is everybody's, no function behind it is; each role finds the runs that it would find in sys_sync_run."""
    roles = [f"{name}_{db.name}" for name in ("owner", "granted", "stranger", "monitor")]
    owner, granted, stranger, monitor = roles
    for role in roles:
        db.sql(f"CREATE ROLE {role} LOGIN")
    try:
        db.sql(f"GRANT pg_monitor TO {monitor}")
        db.sql(f"ALTER TABLE items OWNER TO {owner}")
        db.call("sync_connector_grant", "api", owner)
        db.call("sync_organization_grant", "acme", granted)
        db.sql("UPDATE sync_mapping SET owner = %s", owner)
        run = db.pull("items", organization="acme", wait=False)
        wait_until(lambda: len(stalled.requests) == 2, 20, "the second page to be asked for")
        for role, seen in ((owner, [(run.run_id, "items", 1)]), (granted, [(run.run_id, "items", 1)]), (stranger, []),
                           (monitor, [(run.run_id, "items", 1)])):
            session = db.session(role)
            assert session.tuples("SELECT run_id, mapping, pages FROM sync_progress") == seen, role
            # a rescan within a join, an empty projection, and the memory behind it, which is nobody's
            assert session.value("SELECT count(*) FROM generate_series(1, 3) LEFT JOIN LATERAL (SELECT * FROM sync_progress"
                                 " OFFSET 0) p ON true WHERE p.run_id IS NOT NULL") == 3 * len(seen), role
            session.expect_error("42501", None, "SELECT * FROM sync_progress_memory")
        db.value("SELECT sync_cancel(%s)", run.run_id)
        db.wait_for_run("items", "cancelled")
    finally:
        for role in roles:
            db.sql(f"DROP OWNED BY {role} CASCADE")
            db.sql(f"DROP ROLE {role}")


def test_the_end_of_a_run_is_announced(db, json_server):
    declare(db, json_server({"items": items(3)}).url)
    listener = db.session()
    listener.sql("LISTEN pg_pull")
    run = db.pull("items")
    assert select.select([listener.connection], [], [], 5)[0], "no notification came"
    listener.connection.poll()
    told = json.loads(listener.connection.notifies[0].payload)
    assert told == {"run_id": run.run_id, "mapping": "items", "package_id": None, "organization_id": None, "status": "succeeded",
                    "error_reason": None}


def test_call_sync_run_waits_without_a_snapshot(db, stalled):
    call = db.background("CALL sync_run('items')")
    wait_until(lambda: len(stalled.requests) == 2 or not call.running, 20, "the second page to be asked for")
    row = db.one("SELECT backend_xmin FROM pg_stat_activity WHERE pid = %s", call.pid)
    assert row.backend_xmin is None
    db.value("SELECT sync_cancel(run_id) FROM sys_sync_run WHERE status = 'running'")
    assert call.error().pgcode == "57014"
    assert db.wait_for_run("items", "cancelled").trigger == "procedure"


def test_call_sync_run_is_refused_in_a_transaction(db, json_server):
    declare(db, json_server({"items": items(3)}).url)
    other = db.session()
    other.connection.autocommit = False
    other.expect_error("25001", None, "CALL sync_run('items')")
    other.connection.rollback()


def test_no_free_slot(make_cluster, make_database, fault_server):
    full = make_cluster("full", "max_worker_processes = 2")  # the logical replication launcher takes one
    db = make_database(full)
    fault_server.on("/items", fault.stall_headers())
    declare(db, fault_server.url)
    db.sql("CREATE TABLE others (id bigint PRIMARY KEY)")
    db.call("sync_mapping_create", "others", connector="api", source={"path": "/items"}, target="public.others", fields={"id": "id"},
            mode="upsert", key=["id"])
    run = db.pull("items", wait=False)
    impatient = db.session(options="-c pg_pull.start_timeout=500")
    error = impatient.expect_error("53400", "worker_unavailable", "SELECT sync_pull('others')")
    assert "max_worker_processes" in (error.diag.message_hint or "") + error.diag.message_primary
    assert not db.rows("SELECT 1 FROM sys_sync_run WHERE mapping = 'others'")
    db.value("SELECT sync_cancel(%s)", run.run_id)
    db.wait_for_run("items", "cancelled")


def test_extension_dropped_under_a_running_pull(db, stalled):
    pull = start_pull(db, stalled)
    dropper = db.background("DROP EXTENSION pg_pull CASCADE")
    dropper.result()
    stalled.stop()
    error = pull.error()
    assert error.pgcode in ("55000", "57014"), error
    wait_until(lambda: not db.rows(WORKERS), 5, "the worker to be gone")
    assert db.value("SELECT count(*) FROM items") == 0


def test_drop_database_ends_a_pull(server, make_database, fault_server):
    db = make_database(server)
    fault_server.on("/items", fault.stall_headers())
    declare(db, fault_server.url)
    db.pull("items", wait=False)
    wait_until(lambda: fault_server.requests, 10, "the request")
    db.close()
    server.execute(f"DROP DATABASE {db.name} WITH (FORCE)")
    server.execute(f"CREATE DATABASE {db.name}")  # what the check after the test looks at


def test_many_pulls_leave_no_worker_behind(db, json_server):
    declare(db, json_server({"items": items(10)}).url)
    connector(db, "http://127.0.0.1:9", name="unused")
    for _ in range(20):
        db.pull("items")
    assert db.value("SELECT count(*) FROM sys_sync_run WHERE status = 'succeeded'") == 20


def test_a_terminated_worker_is_told_and_its_run_is_interrupted(db, stalled):
    pull = start_pull(db, stalled)
    run = db.wait_for_run("items", "running")
    db.value("SELECT pg_terminate_backend(%s)", run.worker_pid)
    error = pull.error()
    assert error.pgcode == "57P01" and "Reason: worker_died." in error.diag.message_detail
    assert db.wait_for_run("items", "interrupted").error_reason == "worker_died"
    status = db.one("SELECT health, last_status, consecutive_failures FROM sync_status WHERE mapping = 'items'")
    assert tuple(status) == ("failing", "interrupted", 1)


def test_a_worker_that_dies_unwatched_shows_as_interrupted(db, stalled):
    run = db.pull("items", wait=False)
    wait_until(lambda: len(stalled.requests) == 2, 20, "the second page to be asked for")
    db.value("SELECT pg_terminate_backend(%s)", run.worker_pid)
    wait_until(lambda: not db.rows(WORKERS), 5, "the worker to be gone")
    status = db.one("SELECT health, last_status FROM sync_status WHERE mapping = 'items'")
    assert tuple(status) == ("failing", "interrupted")
    assert not db.rows("SELECT 1 FROM sync_progress")
    stalled.on("/items", fault.ok(items(3)))
    db.pull("items")
    assert db.one("SELECT status FROM sys_sync_run WHERE run_id = %s", run.run_id).status == "interrupted"
    assert db.one("SELECT health FROM sync_status WHERE mapping = 'items'").health == "ok"


def test_a_run_ends_after_max_run_time(db, stalled):
    pull = db.background("SELECT sync_pull('items')", options="-c pg_pull.max_run_time=1000")
    error = pull.error()
    assert error.pgcode == "57014" and "max_run_time" in error.diag.message_primary
    assert db.wait_for_run("items", "cancelled").error_reason == "cancelled"


def test_a_lock_held_by_the_caller_behind_a_third_session(db, json_server):
    declare(db, json_server({"items": items(3)}).url)
    db.sql("CREATE TABLE gate (id int)")
    caller, middle = db.session(), db.session()
    for session, table in ((caller, "gate"), (middle, "items")):
        session.connection.autocommit = False
        session.sql(f"LOCK TABLE {table} IN ACCESS EXCLUSIVE MODE")
    waiting = threading.Thread(target=lambda: middle.sql("SELECT count(*) FROM gate"), daemon=True)
    waiting.start()
    wait_until(lambda: db.value("SELECT cardinality(pg_blocking_pids(%s))", middle.pid) > 0, 5, "the chain of locks")
    caller.expect_error("55P03", "caller_holds_lock", "SELECT sync_pull('items')")
    caller.connection.rollback()
    waiting.join(10)
    middle.connection.rollback()
    db.wait_for_run("items", "failed")


def test_a_caller_that_waits_for_a_run_which_it_blocks_is_told_and_the_run_goes_on(db, fault_server):
    """Whoever began to wait first, and though the deadlock detector of the server looks at the run's wait early."""
    let_go = threading.Event()
    fault_server.on("/items", fault.hold(let_go, fault.ok(items(3))))
    declare(db, fault_server.url, pagination={"type": "none"})
    db.sql(f"ALTER DATABASE {db.name} SET deadlock_timeout = '1500ms'")
    running = db.background("SELECT sync_pull('items')")
    wait_until(lambda: fault_server.requests, 10, "the request")
    caller = db.session()
    caller.connection.autocommit = False
    caller.sql("LOCK TABLE items IN ACCESS EXCLUSIVE MODE")
    let_go.set()
    worker = db.wait_for_run("items", "running").worker_pid
    wait_until(lambda: db.value("SELECT cardinality(pg_blocking_pids(%s))", worker) > 0, 10, "the run to be blocked")
    caller.expect_error("55P03", "caller_holds_lock", "SELECT sync_pull('items', if_running => 'wait')")
    # past the time at which the server would look for a deadlock
    assert db.value("SELECT status FROM sys_sync_run") == "running"
    caller.connection.rollback()
    running.result()
    assert counts(db.last_run("items")) == {"records_read": 3, "rows_inserted": 3}


def test_two_callers_that_block_each_others_runs_do_not_hang(db, json_server):
    declare(db, json_server({"items": items(3)}).url)
    db.sql("CREATE TABLE others (id bigint PRIMARY KEY)")
    db.call("sync_mapping_create", "others", connector="api", source={"path": "/items"}, target="public.others", fields={"id": "id"})
    pulls = []
    for locked, pulled in (("items", "others"), ("others", "items")):
        session = db.session()
        session.connection.autocommit = False
        session.sql(f"LOCK TABLE {locked} IN ACCESS EXCLUSIVE MODE")
        pulls.append((session, pulled))
    errors = []

    def pull(session, mapping):
        try:
            session.sql("SELECT sync_pull(%s)", mapping)
        except psycopg2.Error as error:
            errors.append(error.pgcode)
        session.connection.rollback()
    threads = [threading.Thread(target=pull, args=one, daemon=True) for one in pulls]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(15)
        assert not thread.is_alive(), "a pull hangs"
    assert errors and set(errors) == {"55P03"}


def test_one_pull_at_a_time_on_the_server(make_cluster, make_database, fault_server):
    db = make_database(make_cluster("one", "pg_pull.max_workers = 1"))
    fault_server.on("/items", fault.stall_headers())
    declare(db, fault_server.url)
    db.sql("CREATE TABLE others (id bigint PRIMARY KEY)")
    db.call("sync_mapping_create", "others", connector="api", source={"path": "/others"}, target="public.others", fields={"id": "id"})
    fault_server.on("/others", fault.ok([{"id": 1}]))
    run = db.pull("items", wait=False)
    impatient = db.session(options="-c pg_pull.start_timeout=300")
    error = impatient.expect_error("53400", "worker_unavailable", "SELECT sync_pull('others')")
    assert "pg_pull.max_workers" in error.diag.message_hint
    patient = db.background("SELECT sync_pull('others')")
    row = wait_until(lambda: db.rows("SELECT * FROM sync_progress WHERE wait_reason = 'worker_slot'"), 5, "the wait to be seen")[0]
    assert (row.run_id, row.mapping, row.worker_pid) == (None, "others", None)
    db.value("SELECT sync_cancel(%s)", run.run_id)
    patient.result()
    assert db.last_run("others").status == "succeeded"
    db.wait_for_run("items", "cancelled")


def test_a_caught_refusal_leaves_nothing_in_the_way(db, json_server):
    declare(db, json_server({"items": items(3)}).url)
    db.sql("DO $$ BEGIN BEGIN PERFORM sync_pull('nothing'); EXCEPTION WHEN undefined_object THEN NULL; END;"
           " PERFORM sync_pull('items'); END $$")
    assert db.last_run("items").status == "succeeded"
    assert not db.rows("SELECT 1 FROM pg_locks WHERE locktype = 'advisory'")
