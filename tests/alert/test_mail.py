"""A mail says what happened, in text and in HTML, and nothing on a page becomes more than text in it."""

from __future__ import annotations

from datetime import UTC, datetime
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default

from rdfcrawl.alert.events.event import Event, EventKind, Fact
from rdfcrawl.alert.messages.mail import mail_of
from rdfcrawl.alert.messages.message import Content, Message

SENT = datetime(2024, 5, 17, 12, tzinfo=UTC)
ME = "mailto:me@library.example"


def mail(*events: Event, to: str = ME, total: int | None = None, **more: object) -> EmailMessage:
    """The mail of some events, as it is read on the other side."""
    is_digest = len(events) > 1
    content = Content(1_700_000_000, "model.ttl", events, total or len(events), is_digest, **more)  # type: ignore[arg-type]
    raw = mail_of(Message("abc", to, content), "crawler@library.example", SENT).as_bytes()
    return message_from_bytes(raw, policy=default)


def text(mail: EmailMessage, kind: str = "plain") -> str:
    part = mail.get_body((kind,))
    assert part is not None
    return str(part.get_content()).replace("\r\n", "\n")


def test_a_find_comes_with_score_criteria_and_text() -> None:
    """The page's text is attached, as the seed of this did."""
    event = Event(
        EventKind.FOUND,
        "https://conferences.example/cfp",
        "Call for Papers: ÄÖ 2027",
        facts=(Fact("score", "s", after=("12.5",)), Fact("meets", "m", after=("contains a date (+2)", "b (+3)"))),
    )
    read = mail(event, texts={event.about: "Submit by 5 October.\nKommt nach Köln."})
    assert read["Subject"] == "rdfcrawl: found: Call for Papers: ÄÖ 2027"
    assert (read["From"], read["To"]) == ("rdfcrawl <crawler@library.example>", "me@library.example")
    assert read["Message-ID"] == "<abc@rdfcrawl.invalid>"
    assert "score: 12.5\n  meets: contains a date (+2) · b (+3)\n" in text(read)
    assert '<a href="https://conferences.example/cfp">Call for Papers: ÄÖ 2027</a>' in text(read, "html")
    (attached,) = read.iter_attachments()
    assert attached.get_filename() == "page.txt"
    assert (
        str(attached.get_content()).replace("\r\n", "\n")
        == "https://conferences.example/cfp\n\nSubmit by 5 October.\nKommt nach Köln.\n"
    )


def test_values_are_told_before_and_after() -> None:
    """Also those that are only on one side."""
    facts = (
        Fact("book:price", "p", ("9.90",), ("7.50",)),
        Fact("book:isbn", "i", ("1",)),
        Fact("book:tag", "t", (), ("x",)),
    )
    read = mail(Event(EventKind.CHANGED, "https://library.example/a", "Momo", facts=facts))
    lines = ("  book:price: 9.90 → 7.50", "  book:isbn: 1 → –", "  book:tag: x")
    assert all(line in text(read).splitlines() for line in lines)
    assert "<td>9.90 → 7.50</td>" in text(read, "html")


def test_the_title_of_a_page_is_one_header_whatever_is_in_it() -> None:
    """Line ends of all kinds, control characters, and no end."""
    title = "News\r\nBcc: victim@library.example\n\nHello\x00\u2028\u202e\ud800" + "x" * 5000
    read = mail(Event(EventKind.ADDED, "https://library.example/a\r\nCc: other@library.example", title))
    assert read["Bcc"] is None
    assert read["Cc"] is None
    assert str(read["Subject"]).startswith("rdfcrawl: added: News Bcc: victim@library.example Hello")
    assert len(read["Subject"]) == 150
    assert read["To"] == "me@library.example"
    assert "\nCc:" not in text(read)


def test_markup_of_a_page_is_text_in_the_html() -> None:
    """And only addresses of the web become links."""
    value = "<script>alert(1)</script>"
    read = mail(Event(EventKind.ADDED, "javascript:alert(1)", value, facts=(Fact(value, "p", after=(value,)),)))
    html = text(read, "html")
    assert "<script" not in html
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in html
    assert "href" not in html
    quoted = mail(Event(EventKind.ADDED, 'https://library.example/"onclick="x', "a"))
    assert 'href="https://library.example/&#34;onclick=&#34;x"' in text(quoted, "html")


def test_a_recipient_can_say_what_the_subject_begins_with() -> None:
    """As a mail address can."""
    read = mail(
        Event(EventKind.FOUND, "https://c.example/", "CFP"), to=f"{ME}?subject=Possible%20CFP%0D%0ABcc:%20x@y.example"
    )
    assert read["Subject"] == "Possible CFP Bcc: x@y.example: found: CFP"
    assert read["Bcc"] is None


def test_a_large_digest_has_a_table() -> None:
    """The text shows the first, the table all that there is, and the mail says how many that are."""
    events = [Event(EventKind.ADDED, f"https://library.example/{number}", f"Book {number}") for number in range(250)]
    read = mail(*events)
    assert read["Subject"] == "rdfcrawl: 250 added"
    assert "Book 199\n" in text(read)
    assert "Book 200\n" not in text(read)
    assert "200 of 250 events are shown here; events.csv has all." in text(read)
    (table,) = read.iter_attachments()
    assert table.get_filename() == "events.csv"
    assert "added,https://library.example/249,Book 249,," in str(table.get_content()).splitlines()
    more = mail(*events, total=12_000)
    assert more["Subject"] == "rdfcrawl: 12,000 events"
    assert "200 of 12,000 events are shown here; events.csv has 250." in text(more)


def test_titles_are_no_formulas_in_the_table() -> None:
    """A spreadsheet would carry them out."""
    events = [Event(EventKind.ADDED, f"https://library.example/{number}", "=HYPERLINK(1)") for number in range(201)]
    (table,) = mail(*events).iter_attachments()
    assert "added,https://library.example/7,'=HYPERLINK(1),," in str(table.get_content()).splitlines()


def test_a_digest_counts_the_kinds() -> None:
    """And says if the model was edited."""
    read = mail(
        Event(EventKind.ADDED, "https://library.example/a"),
        Event(EventKind.PROBLEM, "", "missing"),
        Event(EventKind.PROBLEM, "", "gone"),
        edited=True,
    )
    assert read["Subject"] == "rdfcrawl: 1 added, 2 problems"
    assert "The model was edited since the run before" in text(read)


def test_every_server_takes_the_mail() -> None:
    """There are only bytes of ASCII in it, and no line is too long."""
    event = Event(
        EventKind.ADDED, "https://library.example/ä", "ä" * 3000, facts=(Fact("ö", "p", after=("ü" * 3000,)),)
    )
    content = Content(1, "модель.ttl", (event,), 1, texts={event.about: "ß" * 5000})
    raw = mail_of(Message("abc", ME, content), "crawler@library.example", SENT).as_bytes()
    assert raw.isascii()
    assert max(map(len, raw.splitlines())) < 998
