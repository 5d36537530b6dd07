"""How much each piece of evidence counts: logistic regressions over the candidates of labelled faculty directories.

The first weight of a pair is without places, the second with them. What directories cannot teach was set by hand: names
in running text (they have little), titles before names and institutions next to them, words that are also written in
lower case, and neighbouring cells.
"""

from __future__ import annotations

from typing import Final

from rdfcrawl.recognise.person.evidence import FEATURES

_WEIGHTS: Final = {
    "two words": (0.49, 0.38),
    "three words": (0.09, 0.01),
    "four or more words": (-0.72, -0.41),
    "family name, comma, given name": (1.20, 0.38),
    "neighbouring cells": (-1.00, -1.00),
    "given name listed": (0.40, 0.28),
    "family name listed": (0.31, 0.23),
    "in the order family, given": (0.23, 0.16),
    "words between listed": (-0.03, -0.03),
    "no word listed": (-1.34, -0.64),
    "initial between": (0.39, 0.36),
    "begins with an initial": (0.24, 0.30),
    "only initials before the family name": (0.21, 0.18),
    "particle": (-0.34, -0.09),
    "title before": (0.79, 0.40),
    "title after": (1.04, 0.88),
    "common words": (-3.96, -2.69),
    "places": (-1.48, -0.97),
    "institution words": (-1.48, -0.98),
    "lower case elsewhere": (-0.30, -0.30),
    "institution word next to it": (-2.00, -2.00),
    "begins its piece": (2.36, 1.51),
    "ends its piece": (-0.56, -0.45),
    "is the whole piece": (2.14, 0.95),
    "capitalised word before": (-2.04, -2.01),
    "capitalised word after": (-4.95, -3.18),
    "family name in capitals": (-0.34, -0.38),
    "all in capitals": (-1.18, -0.21),
    "crosses the edge of an element": (-0.94, -0.51),
    "comma list around": (-0.62, -0.11),
    "ends with an initial": (-1.87, -1.66),
    "in running text": (-0.55, 0.23),
    "well known names in running text": (3.50, 3.50),
    "under the headings given and family name": (4.00, 4.00),
}
ALONE: Final = tuple(_WEIGHTS[name][0] for name in FEATURES)
ALONE_BIAS: Final = -3.70
TOGETHER: Final = tuple(_WEIGHTS[name][1] for name in FEATURES)
TOGETHER_BIAS: Final = -1.14
PLACE: Final = 0.90
