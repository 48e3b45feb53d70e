"""Real servers for the tests, on 127.0.0.1 and a free port, ended by their process id."""

import http.cookiejar
import json
import os
import pathlib
import shutil
import socket
import subprocess
import re
import urllib.parse
import urllib.error
import urllib.request

from support.cluster import ROOT
from support.waiting import wait_until

BUILD = pathlib.Path(os.environ.get("PG_PULL_BUILD", ROOT / "build"))


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def is_open(port):
    try:
        socket.create_connection(("127.0.0.1", port), timeout=1).close()
        return True
    except OSError:
        return False


class Process:
    """A server process with its output in a file; start() returns once its port answers."""

    def __init__(self, arguments, port, directory, name):
        self.port = port
        self.output = pathlib.Path(directory) / f"{name}.out"
        with open(self.output, "ab") as out:
            self._process = subprocess.Popen(arguments, cwd=directory, stdin=subprocess.DEVNULL, stdout=out, stderr=out)
        wait_until(self._ready, 20, lambda: f"{name} to listen on {port}: {self.output.read_text(errors='replace')}")

    def _ready(self):
        if self._process.poll() is not None:
            raise RuntimeError(f"the server ended: {self.output.read_text(errors='replace')}")
        return is_open(self.port)

    def stop(self):
        if self._process.poll() is None:
            self._process.terminate()
            try:
                self._process.wait(5)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait(5)


class JsonServer(Process):
    """npm's json-server over a JSON file: {"issues": [{"id": 1, ...}]} is served at /issues with _page and _limit, a Link header,
    X-Total-Count, and filters such as updated_at_gte. With `github`, it speaks the parameters of GitHub's REST API instead."""

    def __init__(self, data, directory, github=None):
        self.file = pathlib.Path(directory) / "data.json"
        self.file.write_text(json.dumps(data))
        modules = BUILD / "npm" / "json-server" / "node_modules"
        if not modules.exists():
            subprocess.run(["bash", "-c", ". scripts/lib.sh; install_npm json-server"], cwd=ROOT, check=True)
        port = free_port()
        if github is None:
            arguments = ["node", str(modules / "json-server" / "lib" / "cli" / "bin.js"), str(self.file), "--host", "127.0.0.1",
                         "--port", str(port), "--quiet"]
        else:
            arguments = ["node", str(ROOT / "test" / "support" / "github_like.js"), str(modules), str(self.file), str(port), github]
        super().__init__(arguments, port, directory, "json-server")
        self.url = f"http://127.0.0.1:{port}"

    def request(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.url + path, data=data, method=method, headers={"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=10) as answer:
            return json.loads(answer.read() or b"null")

    def add(self, resource, record):
        return self.request("POST", f"/{resource}", record)

    def change(self, resource, key, **fields):
        return self.request("PATCH", f"/{resource}/{key}", fields)

    def remove(self, resource, key):
        return self.request("DELETE", f"/{resource}/{key}")


class OidcProvider(Process):
    """npm's oidc-provider (certified by OpenID): see oidc_provider.mjs. Its consent pages are posted by plain HTTP."""

    redirect_uri = "http://127.0.0.1:1/callback"

    def __init__(self, directory, access_token_seconds=3600):
        modules = BUILD / "npm" / "oidc-provider" / "node_modules"
        if not modules.exists():
            subprocess.run(["bash", "-c", ". scripts/lib.sh; install_npm oidc-provider"], cwd=ROOT, check=True)
        port = free_port()
        arguments = ["node", str(ROOT / "test" / "support" / "oidc_provider.mjs"), str(modules), str(port), self.redirect_uri,
                     str(access_token_seconds)]
        super().__init__(arguments, port, directory, "oidc-provider")
        self.url = f"http://127.0.0.1:{port}"

    def stats(self):
        with urllib.request.urlopen(self.url + "/stats", timeout=10) as answer:
            return json.loads(answer.read())

    def consent(self, authorization_url, login="alice"):
        """Follows the address as a browser would: logs in, consents. Returns the parameters of the redirect."""
        jar = http.cookiejar.CookieJar()

        class Stop(urllib.request.HTTPRedirectHandler):
            def redirect_request(self, *_):
                return None

        opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(jar), Stop)

        def ask(url, data=None):
            try:
                answer = opener.open(url, urllib.parse.urlencode(data).encode() if data else None, timeout=10)
            except urllib.error.HTTPError as error:
                answer = error
            return answer.headers.get("Location"), answer.read().decode()

        url, forms = authorization_url, [{"prompt": "login", "login": login, "password": "x"}, {"prompt": "consent"}]
        for _ in range(12):
            location, page = ask(url)
            if location is None:
                action = re.search(r'action="([^"]+)"', page).group(1)
                location, page = ask(urllib.parse.urljoin(url, action), forms.pop(0))
            url = urllib.parse.urljoin(url, location)
            if url.startswith(self.redirect_uri):
                return dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(url).query))
        raise AssertionError("the consent page did not lead to the redirect URI")


class Nginx(Process):
    """`conf` is the inside of a server block; `files` are {path: text or bytes} below its root. With tls, a self-signed
    certificate for localhost is in `certificate` (PEM)."""

    def __init__(self, conf, files, directory, tls=False):
        directory = pathlib.Path(directory)
        directory.chmod(0o755)
        site = directory / "site"
        site.mkdir(exist_ok=True)
        self._site = site
        for path, content in (files or {}).items():
            self.write(path, content)
        port = free_port()
        listen = f"listen 127.0.0.1:{port};"
        self.certificate = None
        if tls:
            self._make_certificate(directory)
            listen = (f"listen 127.0.0.1:{port} ssl; ssl_certificate {directory}/cert.pem; ssl_certificate_key {directory}/key.pem;")
        (directory / "nginx.conf").write_text(f"""
daemon off;
worker_processes 1;
pid {directory}/nginx.pid;
error_log {directory}/error.log;
events {{ worker_connections 128; }}
http {{
    access_log {directory}/access.log;
    client_body_temp_path {directory}/body; proxy_temp_path {directory}/proxy; fastcgi_temp_path {directory}/fastcgi;
    uwsgi_temp_path {directory}/uwsgi; scgi_temp_path {directory}/scgi;
    types {{ application/json json; text/html html; application/x-ndjson ndjson; text/csv csv; }}
    default_type application/json;
    server {{ {listen} root {site}; {conf} }}
}}
""")
        binary = shutil.which("nginx") or "/usr/sbin/nginx"
        super().__init__([binary, "-p", str(directory), "-e", f"{directory}/error.log", "-c", f"{directory}/nginx.conf"], port,
                         directory, "nginx")
        self.url = f"{'https' if tls else 'http'}://{'localhost' if tls else '127.0.0.1'}:{port}"

    def write(self, path, content):
        target = self._site / path.lstrip("/")
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content if isinstance(content, bytes) else content.encode())

    def requests(self):
        log = self._site.parent / "access.log"
        return log.read_text().splitlines() if log.exists() else []

    def _make_certificate(self, directory):
        subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost", "-addext",
                        "subjectAltName=DNS:localhost,IP:127.0.0.1", "-keyout", str(directory / "key.pem"), "-out",
                        str(directory / "cert.pem")], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.certificate = (directory / "cert.pem").read_text()
