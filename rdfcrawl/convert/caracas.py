"""A configuration of CARACAS as a model: every option is taken over, or said to be of no use."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import field
from pathlib import PureWindowsPath
from typing import Final
from urllib.parse import quote

from rdfcrawl.convert.caracas_files import CaracasConfiguration, CaracasEntry, CaracasOption, read_entries
from rdfcrawl.dataclass import dataclass
from rdfcrawl.errors import UsageError

_ADDRESS: Final = re.compile(r"""https?://[^\s<>"{}|\\^`]+""")
_MAIL: Final = re.compile(r"[^\s@<>\"]+@[^\s@<>\"]+")
_TIME: Final = re.compile(r"([01]?[0-9]|2[0-3]):([0-5][0-9])")
_TRIGGER: Final = 10
_PREFIXES: Final = (
    "@prefix :      <predicate://> .\n@prefix type:  <type://> .\n@prefix scope: <scope://> .\n"
    "@prefix part:  <part://> .\n@prefix alert: <alert://> .\n@prefix page:  <page://> .\n"
)
_ENVIRONMENT: Final = {
    "mailserver": ("RDFCRAWL_SMTP_HOST", True),
    "mailuser": ("RDFCRAWL_SMTP_FROM", True),
    "maillogin": ("RDFCRAWL_SMTP_USER", True),
    "mailpwd": ("RDFCRAWL_SMTP_PASSWORD", False),
}
"""The options that are environment variables here, and whether their value may be shown."""
_KEPT_TEXTS: Final = {"FileType": 1, "Simple": 1, "Header": 1, "Near": 2, "Date": 0}


@dataclass(frozen=True, slots=True)
class ConvertedModel:
    """A model as Turtle, and what became of each option that is not simply a part of it."""

    turtle: str
    notes: tuple[str, ...]


@dataclass(slots=True)
class _Conversion:
    """A conversion under way: options that were looked at, and what is to be said."""

    configuration: CaracasConfiguration
    notes: list[str] = field(default_factory=list)
    used: set[str] = field(default_factory=set)

    def option(self, name: str) -> CaracasOption | None:
        self.used.add(name.lower())
        return self.configuration.options.get(name.lower())

    def note(self, option: CaracasOption, what: str) -> None:
        self.notes.append(f"{option.name}: {what}")

    def number(self, name: str, default: int | None, least: int) -> int | None:
        option = self.option(name)
        if option is None:
            return default
        try:
            number = int(option.value)
        except ValueError:
            number = least - 1
        if number < least:
            place = f"{self.configuration.name}:{option.line}"
            raise UsageError(f"{place}: {option.name} = {option.value} is not a whole number from {least}")
        return number


def convert_caracas(configuration: CaracasConfiguration, files: Mapping[str, str]) -> ConvertedModel:
    """The model of a configuration; ``files`` are the texts of its files of criteria, by their names there."""
    work = _Conversion(configuration)
    sections = [link for link in configuration.links if _ADDRESS.fullmatch(link)]
    left_out = [link for link in configuration.links if link not in sections]
    work.notes += [f"{link}: left out, because it is no http address" for link in left_out]
    if not sections:
        raise UsageError(f"{configuration.name}: there is no start address between BeginLinks and EndLinks")
    criteria = [text for name in configuration.criteria for text in _criteria(files[name], file_name(name), work.notes)]
    if not criteria:
        raise UsageError(f"{configuration.name}: the files between BeginCriterias and EndCriterias have no criterion")
    threshold, depth = work.number("Triggervalue", _TRIGGER, 0), work.number("MaxLinkDepth", -1, -1)
    window, alert = _window(work), _alert(work)
    _name_the_rest(work)
    terms = [":type type:site", ":scope scope:web", *([] if depth in (None, -1) else [f":depth {depth}"])]
    terms += [f":threshold {threshold}", ":criterion\n        " + " ,\n        ".join(criteria)]
    lines = [f"# From {configuration.name}, written for CARACAS.", *(f"# {note}" for note in work.notes), "", _PREFIXES]
    lines.append("<model:> :section " + " ,\n    ".join(f"<{link}>" for link in sections) + f"{alert} .\n")
    lines += [f"<{link}> :page page:site{window} ." for link in sections]
    lines += ["", "page:site " + " ;\n    ".join(terms) + " .", ""]
    return ConvertedModel("\n".join(lines), tuple(work.notes))


def file_name(path: str) -> str:
    """The last part of a path, which may be one of Windows."""
    return PureWindowsPath(path).name


def _criteria(text: str, name: str, notes: list[str]) -> Iterator[str]:
    for entry in read_entries(text, name):
        kept = _KEPT_TEXTS.get(entry.kind)
        if kept is not None and len(entry.texts) > kept:
            said = f"of its texts only the first {kept} count, as in CARACAS" if kept else "a Date needs no text"
            notes.append(f"{name}:{entry.line}: {said}")
        weight = "" if entry.weight == 1 else f" ; :weight {entry.weight}"
        case = " ; :caseSensitive true" if entry.case_sensitive and entry.kind not in ("Date", "FileType") else ""
        yield f"[ {_test(entry)}{case}{weight} ]"


def _test(entry: CaracasEntry) -> str:
    texts = [json.dumps(text, ensure_ascii=False) for text in entry.texts]
    match entry.kind:
        case "FileType":
            return f":fileType {json.dumps(entry.texts[0].lstrip('.*'))}"
        case "Near":
            distance = "" if entry.distance is None else f" ; :distance {entry.distance}"
            return f":near ( {texts[0]} {texts[1]} ){distance}"
        case "Date":
            return ":containsDate true"
        case "Header":
            return f":contains {texts[0]} ; :in part:head"
        case "AND" | "OR":
            return f":{'all' if entry.kind == 'AND' else 'any'} ( {' '.join(texts)} )"
    return f":contains {texts[0]}"


def _window(work: _Conversion) -> str:
    start, stop = work.option("StartTime"), work.option("StopTime")
    if start is None or stop is None:
        for alone in filter(None, (start, stop)):
            work.note(alone, "left out, because a window has a beginning and an end")
        return ""
    for option in (start, stop):
        if not _TIME.fullmatch(option.value):
            place = f"{work.configuration.name}:{option.line}"
            raise UsageError(f"{place}: {option.name} = {option.value} is not a time; write hh:mm")
    return f' ; :window "{start.value.zfill(5)}-{stop.value.zfill(5)}"'


def _alert(work: _Conversion) -> str:
    recipient, subject = work.option("Recipient"), work.option("MailSubject")
    for name, (variable, shown) in _ENVIRONMENT.items():
        if (option := work.option(name)) is not None:
            value = option.value if shown else "…"
            work.note(option, f"not part of a model; set the environment variable {variable}={value}")
    if recipient is None or not _MAIL.fullmatch(recipient.value):
        for option in filter(None, (recipient, subject)):
            work.note(option, "left out, because there is no recipient with an address")
        return ""
    asked = f"?subject={quote(subject.value)}" if subject is not None and subject.value else ""
    return f" ;\n    :alert [ :on alert:found ; :to <mailto:{quote(recipient.value, safe='@.+-_')}{asked}> ]"


def _name_the_rest(work: _Conversion) -> None:
    if (timeout := work.option("TimeOut")) is not None:
        work.note(timeout, f"not part of a model; run it with --max response-seconds={timeout.value}")
    if (include := work.option("IncludeLink")) is not None:
        what = "messages always name the address" if include.value.upper() == "N" else "as it is here"
        work.note(include, f"not applicable: {what}")
    if (log := work.option("BlatLog")) is not None:
        work.note(log, "not applicable: rdfcrawl alerts lists what was sent")
    for name, option in work.configuration.options.items():
        if name not in work.used:
            work.note(option, "left out, because CARACAS has no such option")
