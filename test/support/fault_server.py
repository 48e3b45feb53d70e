"""An HTTP/1.1 server that misbehaves on order. For faults only: what works is tested against real servers.

    server.on("/items", ok([{"id": 1}]), status(503), stall_headers())

Each request of the path takes the next answer; the last one answers for ever. Paths match without the query. `server.requests`
has every request, in order, with its headers, body and time. An answer is a function of the Exchange.
"""

import dataclasses
import json as json_module
import socket
import struct
import threading
import time
import urllib.parse


@dataclasses.dataclass
class Request:
    method: str
    path: str
    query: dict
    headers: dict  # lower-case names
    body: bytes
    time: float  # monotonic
    peer_port: int


class Exchange:
    """One request and the raw connection that waits for its answer."""

    def __init__(self, request, connection, server):
        self.request = request
        self.server = server
        self._connection = connection
        self.keep = True

    def send(self, data):
        self._connection.sendall(data)

    def head(self, code, headers, reason="X"):
        lines = [f"HTTP/1.1 {code} {reason}"] + [f"{name}: {value}" for name, value in headers.items()]
        self.send(("\r\n".join(lines) + "\r\n\r\n").encode())

    def close(self, reset=False):
        """Reset: the peer sees ECONNRESET instead of an orderly end."""
        self.keep = False
        if reset:
            self._connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self._connection.close()

    def wait(self, seconds=None):
        """Until the server stops, the peer has gone, or the time is over."""
        end = None if seconds is None else time.monotonic() + seconds
        self._connection.settimeout(0.1)
        while not self.server.stopping.is_set() and (end is None or time.monotonic() < end):
            try:
                if self._connection.recv(1, socket.MSG_PEEK) == b"":
                    self.keep = False
                    return
                time.sleep(0.05)
            except TimeoutError:
                pass
            except OSError:
                self.keep = False
                return
        self._connection.settimeout(30)


def _bytes(body):
    if isinstance(body, bytes):
        return body
    if isinstance(body, str):
        return body.encode()
    return json_module.dumps(body).encode()


def ok(body, headers=None):
    return status(200, body, headers)


def status(code, body="", headers=None):
    def answer(exchange):
        data = _bytes(body)
        exchange.head(code, {"Content-Type": "application/json", "Content-Length": len(data), **(headers or {})})
        exchange.send(data)
    return answer


def after(seconds, then):
    """Delays another answer."""
    def answer(exchange):
        exchange.wait(seconds)
        then(exchange)
    return answer


def hold(event, then):
    """Answers once the test sets the threading.Event."""
    def answer(exchange):
        while not event.is_set() and not exchange.server.stopping.is_set():
            exchange.wait(0.05)
            if not exchange.keep:
                return
        then(exchange)
    return answer


def stall_headers():
    """Takes the request and never answers."""
    def answer(exchange):
        exchange.wait()
        exchange.close()
    return answer


def stall_body(body, sent):
    """Announces all of the body, sends its first `sent` bytes, then nothing."""
    def answer(exchange):
        data = _bytes(body)
        exchange.head(200, {"Content-Type": "application/json", "Content-Length": len(data)})
        exchange.send(data[:sent])
        exchange.wait()
        exchange.close()
    return answer


def cut_body(body, sent, reset=False):
    """Announces all of the body and closes after `sent` bytes."""
    def answer(exchange):
        data = _bytes(body)
        exchange.head(200, {"Content-Type": "application/json", "Content-Length": len(data)})
        exchange.send(data[:sent])
        exchange.close(reset)
    return answer


def cut_chunked(body, sent):
    """A chunked body without its last chunk."""
    def answer(exchange):
        data = _bytes(body)[:sent]
        exchange.head(200, {"Content-Type": "application/json", "Transfer-Encoding": "chunked"})
        exchange.send(f"{len(data):x}\r\n".encode() + data + b"\r\n")
        exchange.close()
    return answer


def wrong_length(body, length):
    """Announces a length that is not the body's and closes."""
    def answer(exchange):
        exchange.head(200, {"Content-Type": "application/json", "Content-Length": length})
        exchange.send(_bytes(body))
        exchange.close()
    return answer


def close(reset=False):
    """Closes before a single byte of an answer."""
    def answer(exchange):
        exchange.close(reset)
    return answer


def garbage(data=b"\x00\x01\x02 this is not HTTP\r\n\r\n"):
    def answer(exchange):
        exchange.send(data)
        exchange.close()
    return answer


def endless(chunk=b'{"id": 1, "text": "' + b"x" * 1000 + b'"},'):
    """A list that never ends, as fast as it is read."""
    def answer(exchange):
        exchange.head(200, {"Content-Type": "application/json"})
        exchange.send(b"[")
        exchange.close()
        while not exchange.server.stopping.is_set():
            exchange.send(chunk)
    return answer


def endless_headers():
    def answer(exchange):
        exchange.send(b"HTTP/1.1 200 OK\r\n")
        exchange.close()
        number = 0
        while not exchange.server.stopping.is_set():
            number += 1
            exchange.send(f"X-Header-{number}: {'x' * 1000}\r\n".encode())
    return answer


def drip(body, size, interval):
    """The whole body, `size` bytes each `interval` seconds."""
    def answer(exchange):
        data = _bytes(body)
        exchange.head(200, {"Content-Type": "application/json", "Content-Length": len(data)})
        for start in range(0, len(data), size):
            exchange.send(data[start:start + size])
            if exchange.server.stopping.wait(interval):
                return
    return answer


class FaultServer:
    def __init__(self):
        self.requests = []
        self.stopping = threading.Event()
        self._answers = {}
        self._lock = threading.Lock()
        self._threads = []
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        self._listener.settimeout(0.1)
        self.port = self._listener.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self._acceptor = threading.Thread(target=self._accept, daemon=True)
        self._acceptor.start()

    def on(self, path, *answers):
        with self._lock:
            self._answers[path] = list(answers)

    def requests_of(self, path):
        with self._lock:
            return [request for request in self.requests if request.path == path]

    def stop(self):
        self.stopping.set()
        self._acceptor.join(5)
        self._listener.close()
        for thread in self._threads:
            thread.join(5)

    def _accept(self):
        while not self.stopping.is_set():
            try:
                connection, peer = self._listener.accept()
            except OSError:
                continue
            thread = threading.Thread(target=self._serve, args=(connection, peer[1]), daemon=True)
            self._threads.append(thread)
            thread.start()

    def _serve(self, connection, peer_port):
        connection.settimeout(30)
        try:
            with connection, connection.makefile("rb") as stream:
                while not self.stopping.is_set():
                    request = self._read(stream, peer_port)
                    if request is None:
                        return
                    exchange = Exchange(request, connection, self)
                    self._answer_for(request)(exchange)
                    if not exchange.keep:
                        return
        except OSError:
            pass  # the peer went away, or was sent away

    def _answer_for(self, request):
        with self._lock:
            self.requests.append(request)
            answers = self._answers.get(request.path)
            if not answers:
                return status(404, {"message": "the fault server has no answer for this path"})
            return answers.pop(0) if len(answers) > 1 else answers[0]

    @staticmethod
    def _read(stream, peer_port):
        line = stream.readline(65537)
        if not line.strip():
            return None
        method, target, _ = line.decode("latin-1").split(" ", 2)
        headers = {}
        while (line := stream.readline(65537)).strip():
            name, _, value = line.decode("latin-1").partition(":")
            headers[name.strip().lower()] = value.strip()
        body = stream.read(int(headers.get("content-length", 0)))
        parts = urllib.parse.urlsplit(target)
        query = dict(urllib.parse.parse_qsl(parts.query, keep_blank_values=True))
        return Request(method, parts.path, query, headers, body, time.monotonic(), peer_port)
