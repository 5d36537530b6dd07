"""The IRIs of the metamodel and of the datatypes that a property can have."""

from __future__ import annotations

from typing import Final

METAMODEL: Final = "predicate://"
TYPE: Final = "type://"
MODEL: Final = "model:"
XSD: Final = "http://www.w3.org/2001/XMLSchema#"

RDF: Final = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
RDF_TYPE: Final = RDF + "type"
LANGUAGE_STRING: Final = RDF + "langString"

STRING: Final = XSD + "string"
ANY_URI: Final = XSD + "anyURI"
DATE: Final = XSD + "date"
DATE_TIME: Final = XSD + "dateTime"
TIME: Final = XSD + "time"
DECIMAL: Final = XSD + "decimal"
DURATION: Final = XSD + "duration"
INT: Final = XSD + "int"
INTEGER: Final = XSD + "integer"
DOUBLE: Final = XSD + "double"
BOOLEAN: Final = XSD + "boolean"
G_YEAR: Final = XSD + "gYear"

DATATYPES: Final = (
    STRING,
    ANY_URI,
    DATE,
    DATE_TIME,
    TIME,
    DECIMAL,
    DURATION,
    INT,
    INTEGER,
    DOUBLE,
    BOOLEAN,
    G_YEAR,
)
FORMATTED_DATATYPES: Final = (DATE, DATE_TIME, TIME)
"""The datatypes whose values are parsed with ``:format``."""
