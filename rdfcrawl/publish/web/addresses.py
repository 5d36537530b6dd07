"""Where things are on this server: addresses as paths, and as absolute addresses under the public root."""

from __future__ import annotations

import re
from urllib.parse import quote, unquote, urlencode, urlsplit

from rdfcrawl.dataclass import dataclass

OWN_PATHS = frozenset(
    {
        *("class.csv", "class.json", "class.parquet", "current.nt.gz"),
        *(".well-known", "class", "data", "diff", "feed.atom", "ldes", "model", "page", "resource", "robots.txt"),
        *("people", "person", "picture", "query"),
        *("run", "search", "sparql", "static", "timegate", "timemap", "value", "why"),
    }
)
"""First path segments that the server itself uses; objects under ``--base`` cannot have them."""

_SHORT_QUERY = 20
_DOTS = frozenset({".", ".."})
_ESCAPED = re.compile(r"(?:%[89A-Fa-f][0-9A-Fa-f])+")
SUFFIXES = ("html", "ttl", "jsonld", "nt", "nq", "rdf", "csv")


@dataclass(frozen=True, slots=True)
class Addresses:
    """The addresses of one server; ``base`` is the start of the IRIs that it is itself the home of."""

    base: str | None = None

    @property
    def root(self) -> str | None:
        """The public root, ``scheme://host``, where ``base`` decides it."""
        if not self.base:
            return None
        parts = urlsplit(self.base)
        return f"{parts.scheme}://{parts.netloc}"

    def own_path(self, iri: str) -> str | None:
        """The path of an IRI that this server is the home of."""
        if not self.base or not self.root or not iri.startswith(self.base):
            return None
        path = iri[len(self.root) :]
        first = path.lstrip("/").partition("/")[0]
        # Two slashes begin the name of another host, and clients resolve dots before they ask.
        is_path = path.startswith("/") and not path.startswith("//") and _DOTS.isdisjoint(unquote(path).split("/"))
        plain = "?" not in path and "#" not in path and is_path and not path.endswith("/")
        return path if plain and first not in OWN_PATHS else None

    def resource(self, iri: str) -> str:
        """The address that stands for the thing and leads to documents about it."""
        return self.own_path(iri) or f"/resource?{_query(iri=iri)}"

    def page(self, iri: str, tab: str = "") -> str:
        """The page for people."""
        path = self._document_path(iri, "html")
        more = _query(tab=tab) if tab else ""
        if path:
            return f"{path}?{more}" if more else path
        return f"/page?{_query(iri=iri)}" + (f"&{more}" if more else "")

    def data(self, iri: str, suffix: str) -> str:
        """The document in RDF; without a suffix in the format that the client asks for in its headers."""
        if not suffix:
            return f"/data?{_query(iri=iri)}"
        return self._document_path(iri, suffix) or f"/data.{suffix}?{_query(iri=iri)}"

    def value(self, iri: str, predicate: str, number: int) -> str:
        """One value of an object in full."""
        return f"/value?{_query(iri=iri, property=predicate, number=str(number))}"

    def picture(self, run: int, address: str) -> str:
        """A picture that a run has kept."""
        return f"/picture?{_query(run=str(run), address=address)}"

    def why(self, iri: str, predicate: str, number: int, run: int | None = None, *, page: bool = False) -> str:
        """Where one value of an object comes from, and the page that it was read from."""
        asked = _query(iri=iri, property=predicate, number=str(number)) + (f"&run={run}" if run else "")
        return f"/why/page?{asked}" if page else f"/why?{asked}"

    def in_run(self, run: int, iri: str, form: str = "") -> str:
        """The object as a run saw it."""
        return f"/run/{run}/resource?{_query(iri=iri)}" + (f"&format={form}" if form else "")

    def run(self, run: int) -> str:
        """The page of a run."""
        return f"/run/{run}"

    def survey(self, run: int) -> str:
        """What a run has found out about a site."""
        return f"{self.run(run)}/survey"

    def query(self, name: str) -> str:
        """The page of a saved query."""
        return f"/query/{quote(name)}"

    def diff(self, old: int, new: int) -> str:
        """The comparison of two runs."""
        return f"/diff?{urlencode({'from': old, 'to': new})}"

    def object_class(self, predicate: str, **options: str) -> str:
        """The table of a class."""
        return f"/class?{_query(item=predicate, **options)}"

    def feed(self, **options: str) -> str:
        """The feed of everything, of a class or of an object."""
        return f"/feed.atom?{_query(**options)}" if options else "/feed.atom"

    def timegate(self, iri: str = "") -> str:
        """The TimeGate of an object, or of the data set."""
        return f"/timegate?{_query(iri=iri)}" if iri else "/timegate"

    def timemap(self, iri: str = "") -> str:
        """The TimeMap of an object, or of the data set."""
        return f"/timemap?{_query(iri=iri)}" if iri else "/timemap"

    def _document_path(self, iri: str, suffix: str) -> str | None:
        path = self.own_path(iri)
        # The document of an object whose own address ends like one of ours would not be told from the object.
        return f"{path}.{suffix}" if path and path.rpartition(".")[2] not in SUFFIXES else None


def with_letters(address: str) -> str:
    """An address as an IRI: clients escape the letters of other scripts, which an IRI may have as they are."""
    return _ESCAPED.sub(lambda match: _unescaped(match[0]), address)


def _unescaped(text: str) -> str:
    try:
        return unquote(text, errors="strict")
    except UnicodeDecodeError:
        return text


def web_link(iri: str) -> str | None:
    """The IRI if it is safe to link to; ``javascript:`` and the like stay text."""
    return iri if iri.startswith(("http://", "https://")) else None


def short_address(iri: str) -> str:
    """Host and file of an address on the web, with a short query, in place of all of it; any other IRI as it is."""
    try:
        parts = urlsplit(web_link(iri) or "")
    except ValueError:
        return iri
    folders, _, file = parts.path.rstrip("/").rpartition("/")
    shown = [parts.netloc, *(["…"] if folders else []), *([file] if file else [])]
    query = f"?{parts.query if len(parts.query) <= _SHORT_QUERY else '…'}" if parts.query else ""
    return "/".join(shown) + query if parts.netloc else iri


def _query(**options: str) -> str:
    return urlencode(options, quote_via=quote, safe=":/")
