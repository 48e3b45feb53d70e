"""A throw-away PostgreSQL cluster, made and ended by scripts/server.sh."""

import os
import pathlib
import signal
import subprocess

import psycopg2

from support.waiting import wait_until

ROOT = pathlib.Path(__file__).resolve().parents[2]
SERVER_SH = ROOT / "scripts" / "server.sh"


def install_extension(tree):
    """Builds the extension and installs it below `tree`."""
    subprocess.run(["bash", str(SERVER_SH), "install", str(tree)], check=True, stdout=subprocess.DEVNULL)


class Cluster:
    """`directory` must lie where the server's user can go (below /tmp). `environment` is what credential references may name."""

    def __init__(self, directory, tree=None, conf=(), environment=None):
        self.directory = pathlib.Path(directory)
        arguments = ["bash", str(SERVER_SH), "start", str(self.directory)]
        if tree is not None:
            arguments += ["--extension", str(tree)]
        self._environment = {**os.environ, **(environment or {})}
        self._run(arguments + list(conf))
        self.port = int((self.directory / "port").read_text())
        self.log = self.directory / "log"

    @property
    def socket_dir(self):
        return str(self.directory)

    def dsn(self, dbname="postgres", user="postgres", **more):
        return {"host": self.socket_dir, "port": self.port, "dbname": dbname, "user": user, **more}

    def connect(self, dbname="postgres", user="postgres", **more):
        connection = psycopg2.connect(**self.dsn(dbname, user, **more))
        connection.autocommit = True
        return connection

    def execute(self, statement, dbname="postgres"):
        connection = self.connect(dbname)
        try:
            with connection.cursor() as cursor:
                cursor.execute(statement)
                return cursor.fetchall() if cursor.description else None
        finally:
            connection.close()

    def stop(self, mode="fast"):
        self._run(["bash", str(SERVER_SH), "stop", str(self.directory), mode])

    def restart(self, mode="fast"):
        self._run(["bash", str(SERVER_SH), "restart", str(self.directory), mode])

    def crash(self):
        """Ends the postmaster as a power cut would, and starts it again: recovery runs."""
        pid = int((self.directory / "data" / "postmaster.pid").read_text().splitlines()[0])
        os.kill(pid, signal.SIGQUIT)
        wait_until(lambda: not os.path.exists(f"/proc/{pid}"), 30, "the postmaster to be gone")
        self.restart()

    def log_text(self):
        return self.log.read_text(errors="replace") if self.log.exists() else ""

    def _run(self, arguments):
        # Not to a pipe: the server would inherit it and keep the reader waiting.
        with open(f"{self.directory}.out", "a+b") as out:
            done = subprocess.run(arguments, env=self._environment, stdin=subprocess.DEVNULL, stdout=out, stderr=out)
            if done.returncode != 0:
                out.seek(0)
                raise RuntimeError(f"{arguments[2]} of {self.directory} failed:\n{out.read().decode(errors='replace')}")
