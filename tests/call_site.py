"""A site of calls for papers, lists of them, and pages that are none; all of it made up, and always the same."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice, product
from random import Random

from tests.office_files import pdf

_KINDS = ("Conference", "Workshop", "Symposium")
_FIELDS = (
    *(
        "Graph Databases",
        "Software Testing",
        "Computational Linguistics",
        "Parallel Architectures",
        "Digital Libraries",
    ),
    *("Embedded Systems", "Formal Methods", "Human Factors", "Network Security", "Scientific Visualisation"),
    *("Knowledge Engineering", "Music Informatics", "Robotics in Agriculture", "Queueing Theory", "Data Provenance"),
    *("Medical Imaging", "Compiler Construction", "Spatial Data", "Energy Informatics", "Distributed Ledgers"),
)
_PLACES = (
    "Bergen, Norway",
    "Porto, Portugal",
    "Graz, Austria",
    "Tartu, Estonia",
    "Leeds, England",
    "Lugano, Switzerland",
)
_NAMES = ("Ada Kessler", "Tomas Brandvik", "Ines Carvalho", "Paul Owusu", "Marta Zelenka", "Hiro Tanabe", "Lena Aalto")
_MONTHS = ("January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November")
_GERMAN = ("Januar", "Februar", "März", "April", "Mai", "Juni", "Juli", "August", "September", "Oktober", "November")
_TITLES = (
    "{0} - Call for Papers",
    "CFP: {0}",
    "Call for Papers | {0}",
    "{0}: call for papers and posters",
    "{0} (CFP)",
)


@dataclass(frozen=True, slots=True)
class CallPage:
    """A page of the site: its path, what it is, and its content."""

    path: str
    kind: str
    body: bytes
    content_type: str = "text/html; charset=utf-8"

    @property
    def is_call(self) -> bool:
        return self.kind == "call"


def pages() -> list[CallPage]:
    """The whole site: 66 calls, 10 lists of calls, 300 pages that are neither, and where it begins."""
    calls = list(_calls(Random(1)))
    others = list(islice(_others(Random(2)), 300))
    lists = list(_lists(calls, Random(3)))
    names = [page.path for page in (*lists, *others)]
    start = _html("Faculty of Informatics", "<h1>Faculty of Informatics</h1><p>Welcome." + _links(names))
    return [CallPage("/", "start", start), *lists, *calls, *others]


def _date(random: Random, notation: int | None = None) -> str:
    day, month, year = random.randint(1, 28), random.randrange(11), random.randint(2026, 2028)
    notations = (
        f"{day} {_MONTHS[month]} {year}",
        f"{_MONTHS[month]} {day}, {year}",
        f"{day}.{month + 1}.{year}",
        f"{year}-{month + 1:02}-{day:02}",
        f"{_MONTHS[month][:3]} {day}th, {year}",
        f"{day:02}/{month + 1:02}/{year}",
        f"{day}. {_GERMAN[month]} {year}",
    )
    return notations[random.randrange(6) if notation is None else notation]


def _html(title: str, body: str) -> bytes:
    menu = '<nav><ul><li><a href="/">Home</a></li><li><a href="/imprint">Imprint</a></li></ul></nav>'
    return f"<!DOCTYPE html><html><head><title>{title}</title></head><body>{menu}{body}</body></html>".encode()


def _links(paths: list[str]) -> str:
    return "<ul>" + "".join(f'<li><a href="{path}">{path.strip("/")}</a></li>' for path in paths) + "</ul>"


def _calls(random: Random) -> Iterator[CallPage]:
    for number, (kind, field) in enumerate(product(_KINDS, _FIELDS)):
        name = f"{number % 9 + 2}th {kind} on {field}"
        yield CallPage(
            f"/cfp/{number}", "call", _html(_TITLES[number % 5].format(name), _call(name, field, number, random))
        )
    for number, field in enumerate(_FIELDS[:4]):
        text = _plain(f"Autumn School on {field}", field, random)
        yield CallPage(f"/cfp/school-{number}.txt", "call", text.encode(), "text/plain; charset=utf-8")
    for number, field in enumerate(_FIELDS[4:6]):
        name = f"Summit on {field}"
        lines = _plain(name, field, random).replace("(", "").replace(")", "").split("\n\n")
        body = pdf(*(" ".join(line.split()) for line in lines), title=f"Call for Papers: {name}")
        yield CallPage(f"/cfp/summit-{number}.pdf", "call", body, "application/pdf")


def _call(name: str, field: str, number: int, random: Random) -> str:
    """The parts of a call in the order and with the markup that authors happen to use; few have all of them."""
    if number % 12 == 7:
        return _german(name, field, random)
    committee = ", ".join(random.sample(_NAMES, 4))
    parts = [
        f"<p>The {name} will be held in {random.choice(_PLACES)}. We invite original papers on {field}.</p>",
        f"<h2>Topics of interest</h2><ul><li>Theory of {field}</li><li>Tools and experience</li><li>Teaching</li></ul>",
        f"<h2>Important dates</h2><p>Submission deadline: {_date(random)}<br>Notification: {_date(random)}</p>",
        f"<h2>Program committee</h2><p>{committee}</p>",
        "<h2>How to submit</h2><p>Papers have up to twelve pages; three members of the committee review them.</p>",
    ]
    heading = f"<h1>Call for<br>Papers: {name}</h1>" if number % 2 else f"<h1>{name}</h1><p><b>Call for Papers</b></p>"
    if number % 10 == 3:
        # As it came by mail.
        return f"<pre>{_plain(name, field, random)}</pre>"
    left_out = number % 5
    kept = [part for place, part in enumerate(parts) if place in (1, 2) or place != left_out]
    return heading + "".join(kept)


def _german(name: str, field: str, random: Random) -> str:
    return (
        f"<h1>Call for Papers</h1><p>Die Tagung „{name}“ findet statt in {random.choice(_PLACES)}. Dazu laden wir"
        f" alle ein, die über {field} forschen.</p><h2>Wichtige Termine</h2>"
        f"<p>Einreichungsfrist: {_date(random, 6)}<br>Benachrichtigung: {_date(random, 2)}</p>"
        f"<h2>Programmkomitee</h2><p>{', '.join(random.sample(_NAMES, 3))}</p>"
    )


def _plain(name: str, field: str, random: Random) -> str:
    return (
        f"CALL FOR PAPERS\n\n{name}\n{random.choice(_PLACES)}, {_date(random, 0)}\n\n"
        f"We invite papers on {field}. Topics of interest\ninclude its theory, its tools and its teaching.\n\n"
        f"Important dates\nPaper submission: {_date(random, 0)}\nNotification: {_date(random, 0)}\n\n"
        f"Program committee\n{', '.join(random.sample(_NAMES, 3))} (chair)\n"
    )


def _lists(calls: list[CallPage], random: Random) -> Iterator[CallPage]:
    """Lists of calls, with dates and the words of calls; one of them says in its title that it is about CFPs."""
    for number in range(10):
        some = random.sample(calls, 14)
        rows = "".join(
            f'<tr><td>{_date(random)}</td><td><a href="{one.path}">Call for Papers {one.path[5:]}</a></td></tr>'
            for one in some
        )
        title = "CFP list" if number == 0 else f"Upcoming events, part {number}"
        body = f"<h1>{title}</h1><p>Deadlines of conferences; last changed on {_date(random)}.</p><table>{rows}</table>"
        yield CallPage(f"/events/{number}", "list", _html(title, body))


def _others(random: Random) -> Iterator[CallPage]:
    """News, courses, staff and programmes of conferences that are over; some of them speak of calls."""
    for number in range(75):
        field, name, day = random.choice(_FIELDS), random.choice(_NAMES), _date(random)
        count = random.randint(20, 90)
        news = (
            f"{name} has received a prize for her work on {field}.",
            f"The call for papers of the workshop on {field} is closed; {count} papers came.",
            f"The library is closed. Version 3.{count}.1 of its catalogue comes soon; ask +49 89 12.10.2027.",
        )[number % 3]
        content = f"<h1>News of the faculty</h1><p>{day}. {news}</p>"
        yield CallPage(f"/news/{number}", "news", _html(f"News {number}", content))
        course = (
            f"<h1>Course: {field}</h1><p>Lecture of {name}, begins on {day}.</p><h2>Important dates</h2>"
            f"<p>Exam: {_date(random)}. Homework {count} is submitted by mail.</p>"
            f"<h2>Topics</h2><p>Theory and tools of {field}.</p>"
        )
        yield CallPage(f"/courses/{number}", "course", _html(f"{field} (course)", course))
        staff = (
            f"<h1>{name}</h1><p>Member of the program committee of several conferences on {field}.</p>"
            f"<h2>Papers</h2><ul><li>{field} considered. In: Proceedings, {count}.</li></ul>"
            f"<p>Room 0{number}, phone 0{number}-10-2027.</p>"
        )
        yield CallPage(f"/staff/{number}", "staff", _html(name, staff))
        past = (
            f"<h1>Programme: {number % 7 + 2}th Workshop on {field}</h1><p>The workshop took place on {day}.</p>"
            f"<h2>Accepted papers</h2><ul><li>{name}: On {field}, {count} pages</li></ul>"
            f"<h2>Program committee</h2><p>{', '.join(_NAMES[:3])}</p>"
        )
        if number % 4 == 0:
            past += "<p>See also the call for papers.</p>"
        yield CallPage(f"/past/{number}", "past", _html(f"Workshop on {field}: programme", past))
