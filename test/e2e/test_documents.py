"""The SQL of the documents runs: each ```sql block of the README and the tutorial, top to bottom, against servers of our own.

Only addresses are replaced. A line `-- ERROR: text` after a statement says that it fails so.
"""

import pathlib
import re

import psycopg2
import pytest

from support.cluster import ROOT
from support.database import Database
from support.waiting import wait_until

TOKEN = "token-of-the-documents"


def blocks(page):
    text = (ROOT / page).read_text()
    return re.findall(r"^```sql\n(.*?)^```", text, re.MULTILINE | re.DOTALL)


def statements(block):
    """Statements end with a semicolon at the end of a line (a comment may follow)."""
    current = []
    for line in block.splitlines():
        current.append(line)
        if re.search(r";\s*(--.*)?$", line):
            yield "\n".join(current)
            current = []
    assert not "".join(current).strip() or all(line.strip().startswith("--") or not line.strip() for line in current), current


def run(db, text):
    expected = re.search(r"^-- ERROR: (.*)$", text, re.MULTILINE)
    try:
        db.sql(text)
    except psycopg2.Error as error:
        if expected and expected.group(1) in str(error):
            return
        raise AssertionError(f"{text}\nfailed: {error}") from error
    assert not expected, f"{text}\nshould have failed"


@pytest.fixture(scope="module")
def documents_cluster(make_cluster, work_dir):
    return make_cluster("documents", "shared_preload_libraries = 'pg_cron'", "cron.database_name = 'postgres'",
                        f"cron.host = '{work_dir}/documents'", environment={"PG_PULL_GITHUB_TOKEN": TOKEN})


@pytest.fixture
def documents_db(documents_cluster):
    documents_cluster.execute("DROP DATABASE IF EXISTS readme WITH (FORCE)")
    db = Database(documents_cluster, "postgres")
    db.sql("CREATE EXTENSION pg_cron")
    yield db
    db.sql("DROP EXTENSION pg_cron")
    wait_until(lambda: not db.rows("SELECT 1 FROM sys_sync_run WHERE status = 'running'"), 20, "the last run to end")
    db.sql("DROP EXTENSION pg_pull CASCADE")
    db.sql("DROP SCHEMA public CASCADE")
    db.sql("CREATE SCHEMA public")
    db.close()


def github(count):
    return {"issues": [{"id": 1000 + n, "title": f"issue {n}", "user": {"login": f"user{n % 4}"}, "state": "open",
                        "updated_at": f"2026-01-{1 + n % 28:02d}T08:00:00Z"} for n in range(1, count + 1)]}


@pytest.mark.parametrize("page", ["README.md", "docs/tutorial.md"])
def test_its_sql_runs(page, documents_db, json_server):
    api = json_server(github(230), github=TOKEN)
    found = [text for block in blocks(page) for text in statements(block)]
    assert len(found) >= 5, f"{page} has hardly any SQL"
    for text in found:
        run(documents_db, text.replace("https://api.github.com", api.url))
    assert documents_db.value("SELECT count(*) FROM public.issues") == 230
    assert documents_db.last_run("issues").status == "succeeded"


def test_the_readme_opens_with_a_short_session():
    session = blocks("README.md")[0]
    assert len([line for line in session.splitlines() if line.strip()]) <= 25
    assert pathlib.Path(ROOT / "README.md").read_text().index("```sql") < 1500
