"""The harness itself: a test that waits for nothing, or a server that does not do what its name says, proves nothing."""

import gzip
import threading
import time
import urllib.error
import urllib.request

import psycopg2
import pytest

from support import fault_server as fault
from support.waiting import wait_until


def fetch(url, **more):
    with urllib.request.urlopen(url, timeout=5, **more) as answer:
        return answer.status, dict(answer.headers), answer.read()


def test_wait_until_names_what_it_waited_for():
    with pytest.raises(AssertionError, match="in vain for the moon"):
        wait_until(lambda: False, 0.1, "the moon")


def test_json_server_pages_with_links(json_server):
    api = json_server({"items": [{"id": n} for n in range(1, 8)]})
    code, headers, body = fetch(f"{api.url}/items?_page=2&_limit=3")
    assert code == 200 and b'"id": 4' in body and b'"id": 7' not in body
    assert 'rel="next"' in headers["Link"] and headers["X-Total-Count"] == "7"
    api.change("items", 4, name="four")
    assert b'"name": "four"' in fetch(f"{api.url}/items/4")[2]


def test_nginx_serves_files_gzip_and_tls(nginx):
    plain = nginx("location = /busy { add_header Retry-After 7 always; return 429; } gzip on; gzip_types application/json;"
                  " gzip_min_length 1;", {"/a.json": '[{"id": 1}]'})
    assert fetch(f"{plain.url}/a.json")[2] == b'[{"id": 1}]'
    packed = fetch(urllib.request.Request(f"{plain.url}/a.json", headers={"Accept-Encoding": "gzip"}))[2]
    assert gzip.decompress(packed) == b'[{"id": 1}]'
    with pytest.raises(urllib.error.HTTPError) as refused:
        fetch(f"{plain.url}/busy")
    assert refused.value.code == 429 and refused.value.headers["Retry-After"] == "7"
    secure = nginx("", {"/a.json": "[]"}, tls=True)
    with pytest.raises(urllib.error.URLError, match="CERTIFICATE_VERIFY_FAILED"):
        fetch(f"{secure.url}/a.json")


def test_fault_server_answers_in_order_and_remembers(fault_server):
    fault_server.on("/a", fault.status(503), fault.ok([1]))
    with pytest.raises(urllib.error.HTTPError):
        fetch(f"{fault_server.url}/a?x=1")
    assert fetch(f"{fault_server.url}/a?x=2")[2] == b"[1]"
    assert fetch(f"{fault_server.url}/a?x=3")[2] == b"[1]"
    assert [request.query["x"] for request in fault_server.requests_of("/a")] == ["1", "2", "3"]


@pytest.mark.parametrize("answer", [
    fault.cut_body(b"x" * 100, 10), fault.cut_body(b"x" * 100, 10, reset=True), fault.cut_chunked(b"x" * 100, 10), fault.close(),
    fault.close(reset=True), fault.garbage(), fault.wrong_length(b"xx", 100)])
def test_fault_server_breaks_answers(fault_server, answer):
    fault_server.on("/a", answer)
    with pytest.raises(Exception):
        fetch(f"{fault_server.url}/a")


def test_fault_server_stalls_until_told(fault_server):
    event = threading.Event()
    fault_server.on("/held", fault.hold(event, fault.ok("late")))
    fault_server.on("/stalled", fault.stall_headers())
    fault_server.on("/slow", fault.drip(b"abc", 1, 0.1))
    with pytest.raises(OSError):
        urllib.request.urlopen(f"{fault_server.url}/stalled", timeout=0.3)
    threading.Timer(0.2, event.set).start()
    assert fetch(f"{fault_server.url}/held")[2] == b"late"
    start = time.monotonic()
    assert fetch(f"{fault_server.url}/slow")[2] == b"abc" and time.monotonic() - start >= 0.2


def test_remote_server_asks_for_a_password(remote_pg, canary):
    with pytest.raises(psycopg2.OperationalError):
        psycopg2.connect(remote_pg.conninfo)
    psycopg2.connect(remote_pg.conninfo, password=canary).close()
