"""Requests to SPARQL servers that refuse, stumble, move or want to know who asks."""

from __future__ import annotations

import base64
import hashlib
import re
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from rdfcrawl.errors import StoreError
from rdfcrawl.rdf.endpoint import Credentials, Refused, ServerAccess, credentials_for


@contextmanager
def answering(
    *statuses: int, body: bytes = b"", headers: Mapping[str, str] | None = None
) -> Iterator[tuple[str, list[dict[str, str]]]]:
    """A server that answers with these statuses, the last one for good; gives its address and the headers it got."""
    seen: list[dict[str, str]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            seen.append(dict(self.headers))
            self.send_response(statuses[min(len(seen), len(statuses)) - 1])
            for name, value in {"Content-Length": str(len(body)), **(headers or {})}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as listening:
        thread = threading.Thread(target=listening.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield f"http://127.0.0.1:{listening.server_address[1]}/update", seen
        finally:
            listening.shutdown()
            thread.join()


def test_a_server_out_of_order_is_asked_again_after_growing_pauses() -> None:
    """Two failures and then a success are a success."""
    pauses: list[float] = []
    with answering(503, 500, 204) as (address, seen):
        ServerAccess(sleep=pauses.append).send("POST", address, b"x")
    assert len(seen) == 3
    assert pauses == [0.5, 1.0]


def test_a_refusal_is_final_and_says_why() -> None:
    """Status and first line of the answer are in the message, and how to say who asks."""
    with (
        answering(401, body=b"\nwho are you?\nmore") as (address, seen),
        pytest.raises(Refused, match=r"refuses POST: 401 Unauthorized: who are you\? \(RDFCRAWL_SPARQL_USER"),
    ):
        ServerAccess().send("POST", address, b"x")
    assert len(seen) == 1


def test_a_server_that_never_recovers_is_given_up() -> None:
    """After all attempts the last answer is the message."""
    with answering(503, body=b"down") as (address, seen), pytest.raises(Refused, match="503 Service Unavailable: down"):
        ServerAccess(attempts=3, sleep=lambda _: None).send("POST", address, b"x")
    assert len(seen) == 3


def test_nobody_there_is_said() -> None:
    """A refused connection names the address."""
    with pytest.raises(StoreError, match=r"http://127\.0\.0\.1:9/update does not answer: .*refused"):
        ServerAccess(attempts=2, sleep=lambda _: None).send("POST", "http://127.0.0.1:9/update", b"x")


@pytest.mark.parametrize(
    ("credentials", "header"),
    [
        (Credentials("ada", "secret"), "Basic " + base64.b64encode(b"ada:secret").decode()),
        (Credentials(token="t0ken"), "Bearer t0ken"),
    ],
)
def test_credentials_go_with_every_request(credentials: Credentials, header: str) -> None:
    """User and password, or a token."""
    with answering(204) as (address, seen):
        ServerAccess(credentials).send("POST", address, b"x")
    assert seen[0]["Authorization"] == header


def test_credentials_never_follow_a_redirection() -> None:
    """Where a server sends us is told, and whoever is there hears nothing."""
    with (
        answering(204) as (elsewhere, heard),
        answering(302, headers={"Location": elsewhere}) as (address, seen),
        pytest.raises(Refused, match=f"{address} has moved to {elsewhere}; name that address instead") as caught,
    ):
        ServerAccess(Credentials("ada", "secret")).send("POST", address, b"x")
    assert len(seen) == 1
    assert heard == []
    assert "secret" not in str(caught.value)


def test_a_server_that_wants_a_digest_gets_one() -> None:
    """As Virtuoso wants it; the answer to the challenge is that of RFC 2617."""
    challenge = 'Digest realm="SPARQL", nonce="n0nce", qop="auth", algorithm="MD5"'
    with answering(401, 401, 204, headers={"WWW-Authenticate": challenge}) as (address, seen):
        ServerAccess(Credentials("ada", "secret")).send("POST", address, b"x")
    found = dict(re.findall(r'(\w+)="?([^",]+)"?', seen[2]["Authorization"].removeprefix("Digest ")))
    secret, request = _md5("ada:SPARQL:secret"), _md5("POST:/update")
    assert found["response"] == _md5(f"{secret}:n0nce:{found['nc']}:{found['cnonce']}:auth:{request}")


def _md5(text: str) -> str:
    return hashlib.md5(text.encode(), usedforsecurity=False).hexdigest()


def test_credentials_come_from_the_environment_or_the_netrc_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The environment comes first; without any entry nobody asks."""
    (tmp_path / "netrc").write_text("machine db.example login grace password hopper\n")
    monkeypatch.setenv("NETRC", str(tmp_path / "netrc"))
    assert credentials_for("https://db.example/query", "RDFCRAWL_SPARQL") == Credentials("grace", "hopper")
    assert credentials_for("https://other.example/query", "RDFCRAWL_SPARQL") == Credentials()
    monkeypatch.setenv("RDFCRAWL_SPARQL_USER", "ada")
    monkeypatch.setenv("RDFCRAWL_SPARQL_PASSWORD", "secret")
    assert credentials_for("https://db.example/query", "RDFCRAWL_SPARQL") == Credentials("ada", "secret")
    monkeypatch.setenv("RDFCRAWL_SPARQL_TOKEN", "t0ken")
    assert credentials_for("https://db.example/query", "RDFCRAWL_SPARQL") == Credentials(token="t0ken")
