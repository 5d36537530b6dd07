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
MODEL: Final = "model:"
XSD: Final = "http://www.w3.org/2001/XMLSchema#"

RDF: Final = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
RDFS: Final = "http://www.w3.org/2000/01/rdf-schema#"
PROV: Final = "http://www.w3.org/ns/prov#"
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
