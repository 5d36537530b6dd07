"""RDF terms as N-Triples text: the hot path never builds term objects.

Everything written here is canonical N-Triples (one space between terms, the shortest escapes), so
that equal triples are equal lines and set arithmetic on lines is set arithmetic on triples.
"""

from __future__ import annotations

from rdfcrawl.metamodel import terms

_LITERAL_ESCAPES = str.maketrans(
    {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t", "\b": "\\b", "\f": "\\f"}
    | {chr(code): f"\\u{code:04X}" for code in (*range(0x08), 0x0B, *range(0x0E, 0x20), 0x7F)}
)
_IRI_ESCAPES = str.maketrans(
    {char: "".join(f"%{byte:02X}" for byte in char.encode()) for char in '<>"{}|^`\\'}
    | {chr(code): f"%{code:02X}" for code in range(0x21)}
)


def iri(address: str) -> str:
    """An IRI reference; characters that no IRI may contain are percent-encoded."""
    return f"<{address.translate(_IRI_ESCAPES)}>"


def literal(text: str, datatype: str = terms.STRING, language: str | None = None) -> str:
    """A literal; ``xsd:string`` is left out, as canonical N-Triples wants it."""
    quoted = f'"{text.translate(_LITERAL_ESCAPES)}"'
    if language:
        return f"{quoted}@{language}"
    if datatype == terms.STRING:
        return quoted
    return f"{quoted}^^<{datatype}>"


def split(line: str) -> tuple[str, str, str]:
    """Subject, predicate and object of a triple or quad line whose subject and predicate are IRIs.

    A graph name at the end, if there is one, is dropped.
    """
    subject, predicate, rest = line.split(" ", 2)
    rest = rest.rstrip("\n")
    if not rest.endswith(" ."):
        raise ValueError(f"not an N-Quads line: {line!r}")
    term = rest[:-2]
    if term.endswith(">") and (cut := term.rfind(" <")) > 0 and _ends_term(term[:cut]):
        term = term[:cut]
    return subject, predicate, term


def _ends_term(text: str) -> bool:
    """Whether ``text`` is one whole term, rather than the front part of a literal with a blank in it."""
    if text.startswith("<"):
        return text.endswith(">") and " " not in text
    closing = text.rfind('"')
    return closing > 0 and not text[closing + 1 :].count(" ")
