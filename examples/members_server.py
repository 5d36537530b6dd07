"""A small site behind a login, to try `examples/models/members.ttl` on: python examples/members_server.py [PORT]

The login form has a hidden token that changes at every visit; without the right one, nobody gets in. A session ends
after some pages, if the server is told so, and the list of members comes from a search form.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from http.cookies import SimpleCookie
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from secrets import token_hex
from typing import Final
from urllib.parse import parse_qs, urlsplit

USER: Final = "ada"
PASSWORD: Final = "lovelace & sons"
MEMBERS: Final = {
    "1": ("Grete Lind", "Husum", "2019-04-01"),
    "2": ("Jan Voss", "Kiel", "2020-11-15"),
    "3": ("Lea Kern", "Husum", "2021-02-28"),
    "4": ("Tom Hale", "Husum", "2022-07-07"),
}
_PER_PAGE: Final = 2


class MembersServer(ThreadingHTTPServer):
    """The site; ``pages_per_session`` is after how many pages one has to log in again."""

    daemon_threads = True

    def __init__(self, port: int = 0, *, pages_per_session: int | None = None, password: str = PASSWORD) -> None:
        super().__init__(("127.0.0.1", port), _Answer)
        self.pages_per_session = pages_per_session
        self.password = password
        self.tokens: set[str] = set()
        self.sessions: dict[str, int] = {}
        self.logins: list[bool] = []
        """Whether each attempt to log in has succeeded."""

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that hangs up is no error."""
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)  # type: ignore[arg-type]

    @property
    def address(self) -> str:
        """Where the site is."""
        return f"http://127.0.0.1:{self.server_address[1]}"


class _Answer(BaseHTTPRequestHandler):
    server: MembersServer
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        asked = urlsplit(self.path)
        query = {name: values[0] for name, values in parse_qs(asked.query).items()}
        member = re.fullmatch(r"/members/(\d+)", asked.path)
        if asked.path == "/login":
            self._show_login()
        elif asked.path not in ("/", "/members", "/found") and member is None:
            self._send(404, "<h1>Nothing here</h1>")
        elif asked.path == "/":
            self._send(200, "<h1>Club</h1><a href='/members'>Members</a>")
        elif not self._has_session():
            self._send(302, "", {"Location": f"/login?next={asked.path}"})
        elif asked.path == "/members":
            self._show_search()
        elif asked.path == "/found":
            self._show_found(query.get("place", ""), int(query.get("page", "1")))
        elif member is not None and member[1] in MEMBERS:
            self._show_member(*MEMBERS[member[1]])
        else:
            self._send(404, "<h1>No such member</h1>")

    def do_POST(self) -> None:
        sent = parse_qs(self.rfile.read(int(self.headers.get("Content-Length", 0))).decode(), keep_blank_values=True)
        fields = {name: values[0] for name, values in sent.items()}
        if self.path == "/search" and self._has_session():
            self._show_found(fields.get("place", ""), 1)
        elif self.path == "/login":
            self._log_in(fields)
        else:
            self._send(302, "", {"Location": "/login"})

    def _log_in(self, fields: Mapping[str, str]) -> None:
        is_known = fields.get("token", "") in self.server.tokens
        is_right = (fields.get("user"), fields.get("password")) == (USER, self.server.password)
        self.server.logins.append(is_known and is_right)
        self.server.tokens.discard(fields.get("token", ""))
        if not is_known or not is_right:
            self._show_login("<p class='error'>Wrong name, password or token.</p>")
            return
        session = token_hex(16)
        self.server.sessions[session] = 0
        self._send(303, "", {"Location": "/members", "Set-Cookie": f"session={session}; Path=/; HttpOnly"})

    def _has_session(self) -> bool:
        cookie = SimpleCookie(self.headers.get("Cookie", "")).get("session")
        if cookie is None or cookie.value not in self.server.sessions:
            return False
        self.server.sessions[cookie.value] += 1
        most = self.server.pages_per_session
        if most is not None and self.server.sessions[cookie.value] > most:
            del self.server.sessions[cookie.value]
            return False
        return True

    def _show_login(self, said: str = "") -> None:
        token = token_hex(8)
        self.server.tokens.add(token)
        self._send(
            200,
            f"""<h1>Log in</h1>{said}<form method="post" action="/login">
            <input type="hidden" name="token" value="{token}">
            <label>Name <input name="user"></label><label>Password <input name="password" type="password"></label>
            <button>Log in</button></form>""",
        )

    def _show_search(self) -> None:
        self._send(
            200,
            """<h1>Members</h1><a href="/logout">Log out</a><form method="post" action="/search">
            <input type="hidden" name="sort" value="name"><select name="place"><option value="">everywhere</option>
            <option>Husum</option><option>Kiel</option></select><button name="go" value="1">Search</button></form>""",
        )

    def _show_found(self, place: str, page: int) -> None:
        found = [number for number, member in MEMBERS.items() if place in ("", member[1])]
        shown = found[(page - 1) * _PER_PAGE : page * _PER_PAGE]
        items = "".join(f'<li><a href="/members/{number}">{MEMBERS[number][0]}</a></li>' for number in shown)
        more = (
            f'<a rel="next" href="/found?place={place}&amp;page={page + 1}">more</a>'
            if page * _PER_PAGE < len(found)
            else ""
        )
        self._send(200, f'<h1>Found</h1><a href="/logout">Log out</a><p>{len(found)} members</p><ul>{items}</ul>{more}')

    def _show_member(self, name: str, place: str, since: str) -> None:
        self._send(200, f"<main><h1>{name}</h1><p>{place}</p><time>{since}</time></main><a href='/logout'>Log out</a>")

    def _send(self, status: int, body: str, headers: Mapping[str, str] | None = None) -> None:
        content = f"<!DOCTYPE html><html lang='en'><title>Club</title><body>{body}</body></html>".encode()
        self.send_response(status)
        for name, value in {"Content-Type": "text/html; charset=utf-8", **(headers or {})}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Say nothing."""


if __name__ == "__main__":
    server = MembersServer(int(sys.argv[1]) if len(sys.argv) > 1 else 8765)
    print(f"{server.address}/  (name {USER!r}, password {PASSWORD!r}; Ctrl-C stops)")
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        server.server_close()
