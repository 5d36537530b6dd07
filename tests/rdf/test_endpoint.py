"""Requests to SPARQL servers that refuse, fail, redirect or ask for credentials."""

from __future__ import annotations

import base64
import hashlib
import re
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from rdfcrawl.errors import StoreError
from rdfcrawl.rdf.endpoint import Credentials, Reply, ServerAccess, credentials_for
from rdfcrawl.rdf.servers import NoAnswer, Refused
from rdfcrawl.rdf.sparql import SparqlEndpoint


@contextmanager
def answering(
    *statuses: int, body: bytes = b"", headers: Mapping[str, str] | None = None
) -> Iterator[tuple[str, list[dict[str, str]]]]:
    """A server that answers with these statuses, then always with the last; yields its address and the headers seen."""
    seen: list[dict[str, str]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            got = self.rfile.read(int(self.headers["Content-Length"])).decode()
            seen.append({**self.headers, "target": self.path, "body": got})
            self.send_response(statuses[min(len(seen), len(statuses)) - 1])
            for name, value in {"Content-Length": str(len(body)), **(headers or {})}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    with listening_with(Handler) as address:
        yield f"{address}/update", seen


@contextmanager
def endless(piece: bytes) -> Iterator[str]:
    """A server whose answer goes on, piece by piece, for as long as somebody reads it."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            self.send_response(200)
            self.end_headers()
            with suppress(OSError):
                while True:
                    self.wfile.write(piece)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    with listening_with(Handler) as address:
        yield address


@contextmanager
def listening_with(handler: type[BaseHTTPRequestHandler]) -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as listening:
        thread = threading.Thread(target=listening.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield f"http://127.0.0.1:{listening.server_address[1]}"
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
    """Status and first line of the answer are in the message, and where to set credentials."""
    with (
        answering(401, body=b"\nwho are you?\nmore") as (address, seen),
        pytest.raises(Refused, match=r"refuses POST: 401 Unauthorized: who are you\? \(set RDFCRAWL_SPARQL_USER"),
    ):
        ServerAccess().send("POST", address, b"x")
    assert len(seen) == 1


def test_a_server_says_how_long_it_wants_to_be_left_alone() -> None:
    """Longer than the next pause would be, up to a bound."""
    pauses: list[float] = []
    with (
        answering(503, headers={"Retry-After": "7"}) as (address, _),
        pytest.raises(Refused),
    ):
        SparqlEndpoint(address, ServerAccess(attempts=3, sleep=pauses.append)).update("CLEAR DEFAULT")
    assert pauses == [7.0, 14.0]


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
    """The message names the target of the redirect, which gets no request."""
    with (
        answering(204) as (elsewhere, heard),
        answering(302, headers={"Location": elsewhere}) as (address, seen),
        pytest.raises(Refused, match=f"{address} has moved to {elsewhere}; use that address instead") as caught,
    ):
        ServerAccess(Credentials("ada", "secret")).send("POST", address, b"x")
    assert len(seen) == 1
    assert heard == []
    assert "secret" not in str(caught.value)


def test_queries_and_updates_follow_no_redirection_either() -> None:
    """SPARQLWrapper alone would, with the password, and would make a GET of the update."""
    with (
        answering(200) as (elsewhere, heard),
        answering(307, headers={"Location": elsewhere}) as (address, seen),
    ):
        endpoint = SparqlEndpoint(address, ServerAccess(Credentials("ada", "secret")))
        with pytest.raises(Refused, match="has moved to"):
            endpoint.ask("ASK {}", "application/sparql-results+json")
        with pytest.raises(Refused, match="has moved to"):
            endpoint.update("CLEAR DEFAULT")
    assert len(seen) == 2
    assert heard == []


def test_queries_are_sent_as_forms_and_updates_as_they_are() -> None:
    """With the media type that is wanted, and nothing that only some servers know."""
    with answering(200, body=b"x", headers={"Content-Type": "text/csv"}) as (address, seen):
        endpoint = SparqlEndpoint(f"{address}?key=1", ServerAccess(Credentials(token="t0ken")))
        assert endpoint.ask("ASK {}", "text/csv", default=["g:1", "g:2"], named=["g:3"]) == Reply("text/csv", b"x")
        endpoint.update("CLEAR DEFAULT # ü")
    asked, updated = seen
    assert asked["Accept"] == "text/csv"
    assert asked["Content-Type"] == "application/x-www-form-urlencoded"
    assert sorted(asked["body"].split("&")) == [
        "default-graph-uri=g%3A1",
        "default-graph-uri=g%3A2",
        "named-graph-uri=g%3A3",
        "query=ASK+%7B%7D",
    ]
    assert (updated["Content-Type"], updated["body"]) == ("application/sparql-update", "CLEAR DEFAULT # ü")
    assert asked["target"] == updated["target"] == "/update?key=1"
    assert asked["Authorization"] == updated["Authorization"] == "Bearer t0ken"


def test_the_kind_of_an_update_is_not_searched_for() -> None:
    """SPARQLWrapper's own search takes the first of these for a query, and takes minutes for the second."""
    texts = ["PREFIX a: <b> # SELECT\nCLEAR DEFAULT", "PREFIX a: <b" * 1000]
    with answering(204) as (address, seen):
        for text in texts:
            SparqlEndpoint(address, ServerAccess()).update(text)
    assert [request["body"] for request in seen] == texts


def test_an_answer_without_end_is_not_read_to_its_end() -> None:
    """Neither one that is too large nor one that comes in drops."""
    with endless(b"x" * 4096) as address, pytest.raises(StoreError, match="more than 1 MiB"):
        SparqlEndpoint(address, ServerAccess(answer_bytes=1 << 20)).ask("ASK {}", "*/*")
    with endless(b"x") as address, pytest.raises(NoAnswer, match="the answer was not complete") as caught:
        SparqlEndpoint(address, ServerAccess(timeout=0.2, attempts=1)).ask("ASK {}", "*/*")
    assert not caught.value.in_time


def test_an_answer_that_breaks_off_is_asked_for_again() -> None:
    """Half an answer is none."""
    with (
        answering(200, body=b"half", headers={"Content-Length": "8"}) as (address, seen),
        pytest.raises(NoAnswer, match="does not answer: IncompleteRead"),
    ):
        SparqlEndpoint(address, ServerAccess(attempts=2, sleep=lambda _: None)).ask("ASK {}", "*/*")
    assert len(seen) == 2


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
    """The environment comes first; without any entry there is no prompt."""
    (tmp_path / "netrc").write_text("machine db.example login grace password hopper\n")
    monkeypatch.setenv("NETRC", str(tmp_path / "netrc"))
    assert credentials_for("https://db.example/query", "RDFCRAWL_SPARQL") == Credentials("grace", "hopper")
    assert credentials_for("https://other.example/query", "RDFCRAWL_SPARQL") == Credentials()
    monkeypatch.setenv("RDFCRAWL_SPARQL_USER", "ada")
    monkeypatch.setenv("RDFCRAWL_SPARQL_PASSWORD", "secret")
    assert credentials_for("https://db.example/query", "RDFCRAWL_SPARQL") == Credentials("ada", "secret")
    monkeypatch.setenv("RDFCRAWL_SPARQL_TOKEN", "t0ken")
    assert credentials_for("https://db.example/query", "RDFCRAWL_SPARQL") == Credentials(token="t0ken")
