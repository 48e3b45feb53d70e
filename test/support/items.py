"""The plain case that most tests start from: items with an id, a title, an author and a time, pulled into table items."""

TABLE = "CREATE TABLE items (id bigint PRIMARY KEY, title text, author text, updated_at timestamptz, raw jsonb)"
FIELDS = {"id": "id", "title": "title", "author": "user.login", "updated_at": "updated_at", "raw": "$record"}
# Faults are answered at once, not after the seconds that production waits.
FAST_RETRY = {"attempts": 3, "initial": "PT0.05S", "max": "PT1S", "jitter": False}


def item(number, **changed):
    return {"id": number, "title": f"item {number}", "user": {"login": f"user{number % 3}"},
            "updated_at": f"2026-01-{1 + number % 28:02d}T12:00:00Z", **changed}


def items(count):
    return [item(number) for number in range(1, count + 1)]


def declare(db, url, page_size=10, config=None, auth=None, **mapping):
    """Table items, connector api, mapping items. `mapping` overrides the arguments of sync_mapping_create."""
    db.sql(TABLE)
    connector(db, url, config, auth)
    arguments = {
        "connector": "api", "source": {"path": "/items", "query": {"_limit": str(page_size)}}, "target": "public.items",
        "pagination": {"type": "page", "param": "_page", "size": page_size}, "fields": FIELDS, "mode": "upsert", "key": ["id"]}
    db.call("sync_mapping_create", "items", **{**arguments, **mapping})


def connector(db, url, config=None, auth=None, name="api", session=None):
    (session or db).call("sync_connector_create", name, provider="rest",
                         config={"base_url": url, "retry": FAST_RETRY, **(config or {})}, auth=auth or {"type": "none"})


def counts(run):
    return {name: getattr(run, name) for name in ("records_read", "rows_inserted", "rows_updated", "rows_unchanged", "rows_deleted",
                                                  "rows_rejected", "records_ignored") if getattr(run, name)}
