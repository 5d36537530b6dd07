"""A message as a mail: text, the same as HTML, and attached what would be too much to read."""

from __future__ import annotations

import csv
import io
from datetime import datetime
from email.headerregistry import Address
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime
from importlib.resources import files
from typing import Final

from rdfcrawl.alert.messages.message import Content, Message
from rdfcrawl.alert.messages.wording import MOST_SHOWN, fact_text, footer, heading, one_line, subject_of, text_of
from rdfcrawl.alert.messages.wording import counts_of as counts

_POLICY: Final = SMTP.clone(cte_type="7bit")
"""Every server takes such mails, whatever is in them."""
_FORMULAS: Final = ("=", "+", "-", "@", "\t", "\r")
_MOST_TEXTS: Final = 20
_LONGEST_TEXTS: Final = 2_000_000


def mail_of(message: Message, sender: str, sent: datetime) -> EmailMessage:
    """The mail of a message. Sent again, it has the same Message-ID."""
    content, recipient = message.content, message.recipient
    mail = EmailMessage(_POLICY)
    mail["From"] = Address("rdfcrawl", addr_spec=sender)
    mail["To"] = Address(addr_spec=recipient.address)
    mail["Subject"] = subject_of(content, recipient.subject)
    mail["Date"] = format_datetime(sent)
    mail["Message-ID"] = f"<{message.id}@rdfcrawl.invalid>"
    # Whoever is away does not answer to a machine.
    mail["Auto-Submitted"] = "auto-generated"
    mail.set_content(text_of(content))
    mail.add_alternative(html_of(content), subtype="html")
    if len(content.events) > MOST_SHOWN:
        mail.add_attachment(_table(content), subtype="csv", filename="events.csv")
    _attach_texts(mail, content)
    return mail


def html_of(content: Content) -> str:
    """The HTML of a message; everything that comes from pages is text in it."""
    # Most commands send nothing, and need not wait for it.
    from jinja2 import Environment

    template = Environment(autoescape=True).from_string(_template())
    return template.render(
        digest=counts(content) if content.digest else "",
        events=[
            {
                "heading": heading(event),
                "label": one_line(event.label),
                "about": one_line(event.about),
                "is_link": event.about.startswith(("http://", "https://")),
                "facts": [(one_line(fact.name), fact_text(fact, event.kind)) for fact in event.facts],
            }
            for event in content.events[:MOST_SHOWN]
        ],
        footer=list(footer(content)),
    )


def _template() -> str:
    return files("rdfcrawl.alert.messages").joinpath("message.html").read_text(encoding="utf-8")


def _table(content: Content) -> str:
    """All events as CSV."""
    table = io.StringIO()
    rows = csv.writer(table, lineterminator="\r\n")
    rows.writerow(("event", "about", "title", "class", "values"))
    for event in content.events:
        values = "\n".join(f"{one_line(fact.name)}: {fact_text(fact, event.kind)}" for fact in event.facts)
        rows.writerow(map(_cell, (event.kind.value, event.about, one_line(event.title), event.item, values)))
    return table.getvalue()


def _cell(text: str) -> str:
    """A text that a spreadsheet does not take for a formula."""
    return f"'{text}" if text.startswith(_FORMULAS) else text


def _attach_texts(mail: EmailMessage, content: Content) -> None:
    """Attach what the pages say, as far as there is room."""
    left = _LONGEST_TEXTS
    for number, (address, text) in enumerate(list(content.texts.items())[:_MOST_TEXTS], start=1):
        if len(text) > left:
            return
        left -= len(text)
        name = "page.txt" if len(content.texts) == 1 else f"page-{number}.txt"
        mail.add_attachment(f"{one_line(address)}\n\n{text}\n", filename=name)
