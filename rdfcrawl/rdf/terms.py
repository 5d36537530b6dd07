"""IRIs that several packages use: of the metamodel, of datatypes and of W3C vocabularies."""

from __future__ import annotations

from typing import Final

METAMODEL: Final = "predicate://"
TYPE: Final = "type://"
RECORD: Final = METAMODEL + "record/"
"""The namespace of the terms in the record of a run."""
SITE: Final = METAMODEL + "site/"
"""The namespace of what a survey says about the addresses of a site."""
SCOPE: Final = "scope://"
PART: Final = "part://"
CRITERION: Final = "criterion://"
"""The beginning of the names of criteria that a model leaves without one."""
ALERT: Final = "alert://"
MODEL: Final = "model:"
XSD: Final = "http://www.w3.org/2001/XMLSchema#"

RDF: Final = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
RDFS: Final = "http://www.w3.org/2000/01/rdf-schema#"
PROV: Final = "http://www.w3.org/ns/prov#"
RDF_TYPE: Final = RDF + "type"
LANGUAGE_STRING: Final = RDF + "langString"
HTML: Final = RDF + "HTML"
STATED_LANGUAGE: Final = "@lang"
"""The value of ``:language`` that means the language which the page states."""

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
ANY_ATOMIC: Final = XSD + "anyAtomicType"
"""The datatype that JSON itself states: a number, a boolean or a text."""
ATOMIC_DATATYPES: Final = (STRING, BOOLEAN, INTEGER, DECIMAL, DOUBLE)
"""What the values of JSON can be."""
FURTHER_DATATYPES: Final = tuple(
    XSD + name
    for name in (
        *("anyAtomicType", "base64Binary", "byte", "dateTimeStamp", "dayTimeDuration", "float", "gDay", "gMonth"),
        *("gMonthDay", "gYearMonth", "hexBinary", "language", "long", "negativeInteger", "nonNegativeInteger"),
        *("nonPositiveInteger", "normalizedString", "positiveInteger", "short", "token", "unsignedByte"),
        *("unsignedInt", "unsignedLong", "unsignedShort", "yearMonthDuration"),
    )
)
"""Datatypes of XSD that are rarely needed; values of all datatypes of XSD are checked."""
NUMERIC_DATATYPES: Final = (
    *(INT, INTEGER, DECIMAL, DOUBLE),
    *(
        XSD + name
        for name in (
            *("byte", "float", "long", "negativeInteger", "nonNegativeInteger", "nonPositiveInteger"),
            *("positiveInteger", "short", "unsignedByte", "unsignedInt", "unsignedLong", "unsignedShort"),
        )
    ),
)
DURATION_DATATYPES: Final = (DURATION, XSD + "dayTimeDuration", XSD + "yearMonthDuration")
XSD_DATATYPES: Final = (*DATATYPES, *FURTHER_DATATYPES)
FORMATTED_DATATYPES: Final = (DATE, DATE_TIME, TIME)
"""The datatypes whose values are parsed with ``:format``."""
