"""Fixtures of the end-to-end tests: throw-away PostgreSQL clusters with the extension, and the servers that it pulls from."""

import os
import pathlib
import secrets
import shutil
import signal
import sys
import tempfile

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from support.cluster import Cluster, install_extension  # noqa: E402
from support.database import Database  # noqa: E402
from support.fault_server import FaultServer  # noqa: E402
from support.servers import JsonServer, Nginx  # noqa: E402

# The value of every secret of the tests; it must never be seen again.
CANARY = "canary-" + secrets.token_hex(12)
LOG_TAIL_LINES = 40


def pytest_configure():
    """A SIGTERM ends the tests as Ctrl-C does: fixtures are torn down, no server is left."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)


@pytest.fixture(scope="session")
def canary():
    """The secret that PG_PULL_TEST_TOKEN names in the environment of `server`."""
    return CANARY


@pytest.fixture(scope="session")
def work_dir():
    """Below /tmp and open to the server's user, who may not be able to enter the clone."""
    directory = pathlib.Path(tempfile.mkdtemp(prefix="pg_pull.", dir="/tmp"))
    directory.chmod(0o755)
    yield directory
    shutil.rmtree(directory, ignore_errors=True)


@pytest.fixture(scope="session")
def extension_tree(work_dir):
    if os.environ.get("PG_PULL_TREE"):
        return pathlib.Path(os.environ["PG_PULL_TREE"])
    tree = work_dir / "tree"
    install_extension(tree)
    return tree


@pytest.fixture(scope="session")
def make_cluster(work_dir, extension_tree):
    """make_cluster(name, *configuration lines, extension=True, environment=None): a started Cluster, stopped at the end."""
    clusters = []

    def make(name, *conf, extension=True, environment=None):
        cluster = Cluster(work_dir / name, extension_tree if extension else None, conf, environment)
        clusters.append(cluster)
        return cluster

    yield make
    for cluster in clusters:
        cluster.stop("immediate")


@pytest.fixture(scope="session")
def server(make_cluster):
    """The primary: the extension is installed, nothing is preloaded."""
    return make_cluster("primary", environment={"PG_PULL_TEST_TOKEN": CANARY})


@pytest.fixture(scope="session")
def remote_cluster(make_cluster):
    return make_cluster("remote", extension=False)


class MakeDatabases:
    def __init__(self):
        self.made = []

    def __call__(self, cluster, extension=True):
        name = f"t_{secrets.token_hex(6)}"
        cluster.execute(f"CREATE DATABASE {name}")
        database = Database(cluster, name)
        if extension:
            database.sql("CREATE EXTENSION pg_pull")
        self.made.append(database)
        return database


@pytest.fixture
def make_database(request):
    """make_database(cluster, extension=True): a fresh database, checked and dropped after the test."""
    make = MakeDatabases()
    yield make
    failed = getattr(request.node, "failed_in_call", False)
    errors = []
    for database in make.made:
        try:
            if not failed:
                database.check_after_test([CANARY])
        except AssertionError as error:
            errors.append(str(error))
        finally:
            for session in [database, *database.sessions]:
                session.close()
            database.cluster.execute(f"DROP DATABASE IF EXISTS {database.name} WITH (FORCE)")
    assert not errors, "\n".join(errors)


@pytest.fixture
def db(server, make_database):
    """A fresh database of the primary with the extension."""
    return make_database(server)


@pytest.fixture
def remote_pg(remote_cluster, make_database):
    """A fresh database of the second cluster, without the extension. `conninfo` reaches it over TCP as role remote_reader,
    whose password is the canary; without a password it is refused."""
    database = make_database(remote_cluster, extension=False)
    if not database.rows("SELECT 1 FROM pg_roles WHERE rolname = 'remote_reader'"):
        database.sql("CREATE ROLE remote_reader LOGIN")
    database.sql("ALTER ROLE remote_reader PASSWORD %s", CANARY)
    database.sql("ALTER DEFAULT PRIVILEGES GRANT SELECT ON TABLES TO remote_reader")
    database.conninfo = f"host=127.0.0.1 port={remote_cluster.port} dbname={database.name} user=remote_reader"
    return database


@pytest.fixture
def stoppable():
    """Collects servers of one test and stops them after it."""
    started = []
    yield started
    for process in reversed(started):
        process.stop()


@pytest.fixture
def fresh_dir(work_dir):
    def make():
        directory = pathlib.Path(tempfile.mkdtemp(dir=work_dir))
        directory.chmod(0o755)
        return directory
    return make


@pytest.fixture
def json_server(stoppable, fresh_dir):
    """json_server({"items": [...]}): a JsonServer over this data."""
    def start(data, github=None):
        stoppable.append(JsonServer(data, fresh_dir(), github))
        return stoppable[-1]
    return start


@pytest.fixture
def nginx(stoppable, fresh_dir):
    """nginx(conf, files, tls=False): an Nginx."""
    def start(conf="", files=None, tls=False):
        stoppable.append(Nginx(conf, files, fresh_dir(), tls))
        return stoppable[-1]
    return start


@pytest.fixture
def fault_server(stoppable):
    stoppable.append(FaultServer())
    return stoppable[-1]


@pytest.fixture(autouse=True)
def no_secret_in_the_log(request):
    """Reads what the test added to the logs of the clusters that it used."""
    clusters = [request.getfixturevalue(name) for name in ("server", "remote_cluster") if name in request.fixturenames]
    before = {cluster.log: len(cluster.log_text()) for cluster in clusters}
    yield
    for cluster in clusters:
        added = cluster.log_text()[before[cluster.log]:]
        assert CANARY not in added, f"a secret stands in the server log {cluster.log}"
        for sign in ("was terminated by signal", "PANIC:", "TRAP:"):
            if sign in added and not getattr(request.node, "expects_crash", False):
                raise AssertionError(f"the server log says \"{sign}\":\n{added[-3000:]}")


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    """On failure, the tail of each server's log goes to the report."""
    outcome = yield
    report = outcome.get_result()
    if report.when == "call":
        item.failed_in_call = report.failed
    if report.failed:
        for name in ("server", "remote_cluster", "cron_cluster"):
            cluster = item.funcargs.get(name) if hasattr(item, "funcargs") else None
            if cluster is not None:
                tail = "\n".join(cluster.log_text().splitlines()[-LOG_TAIL_LINES:])
                report.sections.append((f"log of {name}", tail))
