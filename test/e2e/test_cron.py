"""A real pg_cron runs pulls: as a SELECT and as the procedure, which its background must allow to commit."""

import pytest

from support.database import Database
from support.items import counts, declare, items
from support.waiting import wait_until

# pg_cron 1.4 knows whole minutes only.
NEXT_MINUTE_SECONDS = 90


@pytest.fixture(scope="module")
def cron_cluster(make_cluster, work_dir):
    return make_cluster("cron", "shared_preload_libraries = 'pg_cron'", "cron.database_name = 'postgres'",
                        f"cron.host = '{work_dir}/cron'")


@pytest.fixture
def cron_db(cron_cluster):
    db = Database(cron_cluster, "postgres")
    db.sql("CREATE EXTENSION pg_cron")
    db.sql("CREATE EXTENSION pg_pull")
    yield db
    db.sql("DROP EXTENSION pg_cron")
    wait_until(lambda: not db.rows("SELECT 1 FROM sys_sync_run WHERE status = 'running'"), 20, "the last run to end")
    db.check_after_test()
    db.sql("DROP EXTENSION pg_pull CASCADE")
    db.close()


def test_select_and_call_on_a_schedule(cron_db, json_server):
    api = json_server({"items": items(12)})
    declare(cron_db, api.url)
    cron_db.sql("CREATE TABLE others (id bigint PRIMARY KEY)")
    cron_db.call("sync_mapping_create", "others", connector="api", source={"path": "/items", "query": {"_limit": "5"}},
                 target="public.others", pagination={"type": "page", "param": "_page", "size": 5}, fields={"id": "id"}, mode="upsert",
                 key=["id"])
    cron_db.value("SELECT cron.schedule('by-select', '* * * * *', $$SELECT sync_pull('items')$$)")
    cron_db.value("SELECT cron.schedule('by-call', '* * * * *', $$CALL sync_run('others')$$)")
    cron_db.value("SELECT cron.schedule('wrong', '* * * * *', $$CALL sync_run('no such mapping')$$)")

    def ended():
        return {row.jobname: (row.status, row.return_message) for row in cron_db.rows(
            "SELECT j.jobname, d.status, d.return_message FROM cron.job_run_details d JOIN cron.job j USING (jobid)"
            " WHERE d.status IN ('succeeded', 'failed')")}
    wait_until(lambda: len(ended()) == 3, NEXT_MINUTE_SECONDS, lambda: f"three jobs to end: {ended()}")
    outcome = ended()
    assert outcome["by-select"][0] == outcome["by-call"][0] == "succeeded", outcome
    assert outcome["wrong"][0] == "failed" and "no such mapping" in outcome["wrong"][1]
    assert counts(cron_db.last_run("items")) == {"records_read": 12, "rows_inserted": 12}
    assert counts(cron_db.last_run("others")) == {"records_read": 12, "rows_inserted": 12}
    assert cron_db.last_run("others").trigger in ("procedure", "cron")
    assert cron_db.one("SELECT next_run_at IS NOT NULL AS known FROM sync_status WHERE mapping = 'items'").known
