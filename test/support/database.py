"""One database of a test: short ways to run SQL, and the checks that hold after every test."""

import json
import threading

import psycopg2
import psycopg2.extras

from support.waiting import wait_until

UNFINISHED = ("SELECT run_id, mapping, phase, wait_reason FROM sync_progress")
WORKERS = "SELECT pid, application_name FROM pg_stat_activity WHERE backend_type = 'pg_pull worker' AND datname = current_database()"
STAGING = ("SELECT c.relname FROM pg_class c WHERE c.relpersistence = 't' AND c.relkind = 'r'"
           " AND c.relnamespace <> pg_my_temp_schema()")


class Session:
    """One connection in autocommit, with helpers. Values go in as parameters; dicts become JSON."""

    def __init__(self, connection):
        self.connection = connection

    def _execute(self, statement, arguments):
        cursor = self.connection.cursor(cursor_factory=psycopg2.extras.NamedTupleCursor)
        cursor.execute(statement, [_adapt(a) for a in arguments] or None)
        return cursor

    def sql(self, statement, *arguments):
        self._execute(statement, arguments).close()

    def rows(self, statement, *arguments):
        with self._execute(statement, arguments) as cursor:
            return cursor.fetchall()

    def tuples(self, statement, *arguments):
        return [tuple(row) for row in self.rows(statement, *arguments)]

    def one(self, statement, *arguments):
        rows = self.rows(statement, *arguments)
        assert len(rows) == 1, f"expected one row, got {len(rows)}: {rows[:5]}"
        return rows[0]

    def value(self, statement, *arguments):
        return self.one(statement, *arguments)[0]

    def call(self, function, *positional, **named):
        """SELECT * FROM function(...): rows. Names of arguments as in SQL."""
        parts = ["%s"] * len(positional) + [f'"{name}" => %s' for name in named]
        return self.rows(f"SELECT * FROM {function}({', '.join(parts)})", *positional, *named.values())

    def pull(self, mapping, **named):
        """The run row that sync_pull returns."""
        return self.call("sync_pull", mapping, **named)[0]

    def expect_error(self, sqlstate, reason, statement, *arguments):
        """Runs the statement, which must fail with this SQLSTATE and, unless None, this reason in the detail. Returns the error."""
        try:
            self._execute(statement, arguments).close()
        except psycopg2.Error as error:
            told = f"{error.pgcode} {error.diag.message_primary} | {error.diag.message_detail} | {error.diag.message_hint}"
            assert error.pgcode == sqlstate, f"expected {sqlstate}, got {told}"
            if reason is not None:
                assert f"Reason: {reason}." in (error.diag.message_detail or ""), f"expected reason {reason}, got {told}"
            return error
        raise AssertionError(f"expected error {sqlstate} {reason}, but it succeeded: {statement}")

    def notices(self):
        taken = list(self.connection.notices)
        del self.connection.notices[:]
        return taken

    @property
    def pid(self):
        return self.connection.info.backend_pid

    def close(self):
        self.connection.close()


class Background:
    """A statement that runs in a thread and a session of its own. result() waits for it and raises what it raised."""

    def __init__(self, session, statement, arguments):
        self.session = session
        self.pid = session.pid
        self._outcome = None
        self._error = None
        self._thread = threading.Thread(target=self._run, args=(statement, arguments), daemon=True)
        self._thread.start()

    def _run(self, statement, arguments):
        try:
            with self.session._execute(statement, arguments) as cursor:
                self._outcome = cursor.fetchall() if cursor.description else []
        except psycopg2.Error as error:
            self._error = error

    @property
    def running(self):
        return self._thread.is_alive()

    def result(self, deadline=30):
        self._thread.join(deadline)
        assert not self._thread.is_alive(), f"the statement still runs after {deadline} s"
        self.session.close()
        if self._error is not None:
            raise self._error
        return self._outcome

    def error(self, deadline=30):
        try:
            rows = self.result(deadline)
        except psycopg2.Error as error:
            return error
        raise AssertionError(f"expected an error, got {rows}")


class Database(Session):
    def __init__(self, cluster, name):
        self.cluster = cluster
        self.name = name
        self.sessions = []
        super().__init__(cluster.connect(name))

    def session(self, user="postgres", **more):
        session = Session(self.cluster.connect(self.name, user, **more))
        self.sessions.append(session)
        return session

    def background(self, statement, *arguments, user="postgres", **more):
        return Background(self.session(user, **more), statement, arguments)

    def last_run(self, mapping):
        return self.one("SELECT * FROM sys_sync_run WHERE mapping = %s ORDER BY run_id DESC LIMIT 1", mapping)

    def wait_for_run(self, mapping, status, deadline=20):
        """The newest run of the mapping, once it has this status."""
        def look():
            rows = self.rows("SELECT * FROM sys_sync_run WHERE mapping = %s ORDER BY run_id DESC LIMIT 1", mapping)
            return rows[0] if rows and rows[0].status == status else None
        return wait_until(look, deadline, lambda: f"run of {mapping} to be {status}; last: "
                          f"{self.rows('SELECT run_id, status, error_message FROM sys_sync_run')}")

    def wait_for_phase(self, mapping, phase, deadline=20):
        """The progress row of the running pull, once it is in this phase."""
        def look():
            rows = self.rows("SELECT * FROM sync_progress WHERE mapping = %s AND phase = %s", mapping, phase)
            return rows[0] if rows else None
        return wait_until(look, deadline, lambda: f"{mapping} to be {phase}; progress: {self.rows('SELECT * FROM sync_progress')}")

    def has_extension(self):
        return bool(self.rows("SELECT 1 FROM pg_extension WHERE extname = 'pg_pull'"))

    def check_after_test(self, canaries=()):
        """What must hold after every test, whatever it did."""
        for session in self.sessions:
            session.close()
        if self.connection.closed:
            self.connection = self.cluster.connect(self.name)
        if not self.has_extension():
            return
        wait_until(lambda: not self.rows(WORKERS), 5, lambda: f"no pull worker to be left: {self.rows(WORKERS)}")
        wait_until(lambda: not self.rows(STAGING), 5, lambda: f"no staging table to be left: {self.rows(STAGING)}")
        running = self.rows("SELECT run_id, mapping FROM sys_sync_run WHERE status = 'running'")
        assert not running, f"runs left behind as running: {running}"
        self.check_counts()
        for canary in canaries:
            for table in ("sys_sync_run", "sys_sync_reject", "sys_sync_connector", "sync_mapping"):
                found = self.value(f"SELECT count(*) FROM {table} t WHERE t::text LIKE %s", f"%{canary}%")
                assert found == 0, f"a secret stands in {table}"

    def check_counts(self):
        """records_read = inserted + updated + unchanged + rejected + ignored + tombstones, for each run that landed.

        The table has no column of tombstones, and one that meets no row deletes nothing: where the mapping knows tombstones
        (deleted_when) the sum may fall short, elsewhere it may not.
        """
        for run in self.rows("SELECT r.*, m.mapping_id IS NULL OR m.deleted_when IS NOT NULL AS tombstones FROM sys_sync_run r"
                             " LEFT JOIN sync_mapping m ON m.name = r.mapping AND m.package_id IS NOT DISTINCT FROM r.package_id"
                             " WHERE r.status = 'succeeded'"):
            landed = run.rows_inserted + run.rows_updated + run.rows_unchanged + run.rows_rejected + run.records_ignored
            missing = run.records_read - landed
            fits = missing >= 0 if run.tombstones else missing == 0
            assert fits, f"the counts of run {run.run_id} of {run.mapping} do not add up: {run}"
        open_ended = self.rows("SELECT run_id FROM sys_sync_run WHERE status <> 'running' AND finished_at IS NULL")
        assert not open_ended, f"runs that ended without a time: {open_ended}"


def _adapt(value):
    if isinstance(value, dict):
        return json.dumps(value)
    if isinstance(value, list) and value and isinstance(value[0], dict):
        return json.dumps(value)
    return value
