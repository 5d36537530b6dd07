"""Given and family names in neighbouring cells of a table, under headings or recognised by the list."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from rdfcrawl.dataclass import dataclass
from rdfcrawl.recognise.folding import folded
from rdfcrawl.recognise.lines import Line
from rdfcrawl.recognise.person.candidates import NameForm, Span
from rdfcrawl.recognise.person.tokens import Kind, Token

_MOST_WORDS: Final = 3
_GIVEN: Final = frozenset((
    "first name", "firstname", "first", "given name", "given names", "given", "forename", "forenames", "vorname",
    "vornamen", "rufname", "prenom", "prenoms", "nombre", "nombres", "nome", "nomi", "voornaam", "fornamn",
    "fornavn", "etunimi", "imie", "jmeno", "ime", "keresztnev", "utonev",
))  # fmt: skip
_FAMILY: Final = frozenset((
    "last name", "lastname", "last", "family name", "family", "surname", "name", "nachname", "familienname",
    "zuname", "nom", "nom de famille", "apellido", "apellidos", "cognome", "sobrenome", "achternaam", "efternamn",
    "etternavn", "efternavn", "sukunimi", "nazwisko", "prijmeni", "prezime", "vezeteknev",
))  # fmt: skip


@dataclass(frozen=True, slots=True)
class CellPair:
    """The tokens of two cells as one line, given name first; the span's comma is where the family name begins."""

    line: int
    second: int
    tokens: list[Token]
    span: Span
    is_headed: bool


def cell_pairs(lines: Sequence[Line], tokens: Sequence[list[Token]]) -> Iterator[CellPair]:
    """Every pair of neighbouring cells that could hold the two halves of a name."""
    found = list(_neighbours(lines, tokens))
    # Where no heading says which column is which, all rows decide together: "Smith" and "John" can be either.
    turned: dict[str, float] = {}
    for index, is_headed in found:
        if not is_headed:
            left, right = tokens[index], tokens[index + 1]
            column = lines[index].pieces[0].places[-2]
            turned[column] = turned.get(column, 0.0) + _fits(right, left) - _fits(left, right)
    for index, headed in found:
        left, right = tokens[index], tokens[index + 1]
        is_turned = headed == "family" if headed else turned[lines[index].pieces[0].places[-2]] > 0
        given, family = (right, left) if is_turned else (left, right)
        joined = [*given, *family]
        yield CellPair(index, index + 1, joined, Span(NameForm.CELLS, 0, len(joined), len(given)), bool(headed))


def _neighbours(lines: Sequence[Line], tokens: Sequence[list[Token]]) -> Iterator[tuple[int, str | None]]:
    """The first line of every pair, and what its column is headed, if both columns are."""
    headings: dict[int, str] = {}
    table = -1
    for index, line in enumerate(lines[:-1]):
        if line.column < 0:
            continue
        if line.table != table:
            headings, table = {}, line.table
        role = _role(line)
        if role is not None:
            headings[line.column] = role
        following = lines[index + 1]
        if following.row != line.row or following.column != line.column + 1:
            continue
        if not (_is_half(tokens[index]) and _is_half(tokens[index + 1])):
            continue
        if _has_neighbour(lines, index, line) or _has_neighbour(lines, index + 1, following):
            continue
        roles = (headings.get(line.column), headings.get(following.column))
        if None not in roles:
            if roles[0] != roles[1]:
                yield index, roles[0]
        elif len(tokens[index]) == len(tokens[index + 1]) == 1:
            # Two cells with full names are two persons.
            yield index, None


def _role(line: Line) -> str | None:
    text = line.text
    if len(text) > 30:
        return None
    heading = folded(text.strip(" :*\u25b2\u25bc\u2191\u2193"))
    return "given" if heading in _GIVEN else "family" if heading in _FAMILY else None


def _has_neighbour(lines: Sequence[Line], index: int, line: Line) -> bool:
    """Whether the cell of a line has other lines."""
    return any(
        0 <= other < len(lines) and (lines[other].row, lines[other].column) == (line.row, line.column)
        for other in (index - 1, index + 1)
    )


def _is_half(tokens: list[Token]) -> bool:
    kinds = [token.word.kind for token in tokens]
    if Kind.WORD not in kinds or len(kinds) > _MOST_WORDS:
        return False
    return all(kind in (Kind.WORD, Kind.INITIAL, Kind.PARTICLE, Kind.GENERATION) for kind in kinds)


def _fits(given: list[Token], family: list[Token]) -> float:
    return max(token.word.given for token in given) + max(token.word.family for token in family)
