"""The formats of an export: one graph, or one table for each class."""

from __future__ import annotations

from enum import StrEnum
from typing import Final


class ExportFormat(StrEnum):
    """The name of a format, as the command line takes it."""

    NQ = "nq"
    NT = "nt"
    TTL = "ttl"
    TRIG = "trig"
    JSONLD = "jsonld"
    RDFXML = "rdfxml"
    CSV = "csv"
    PARQUET = "parquet"
    SQLITE = "sqlite"
    TEXTS = "texts"
    NAMES = "names"
    QLEVER = "qlever"
    QLEVER_TEXT = "qlever-text"


OF_NAMES: Final = (ExportFormat.NAMES, ExportFormat.QLEVER_TEXT)
"""What is written about the names that a run has recognised."""
TABLES: Final = (ExportFormat.CSV, ExportFormat.PARQUET)
