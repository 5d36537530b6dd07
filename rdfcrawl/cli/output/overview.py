"""What `rdfcrawl --help` says of each command: one line of a terminal, known without importing the command."""

from __future__ import annotations

from typing import Final

OVERVIEW: Final = {
    "draft": "Look around on a site and write a first model of it.",
    "convert": "Make a model of the configuration of another crawler.",
    "check": "Report everything that is wrong with a model, or show its tree.",
    "run": "Crawl a model, or resume a crawl that was stopped.",
    "survey": "Survey a site: every address that links lead to.",
    "worker": "Read pages for every run of a queue, on any machine.",
    "queue": "Show the runs, workers and hosts of a queue.",
    "try": "Show what is extracted from one page, step by step.",
    "shell": "Open a page and try XPaths and CSS selectors on it.",
    "runs": "List the runs, or remove old ones.",
    "report": "Report on a run: its counts, and the figures of a survey.",
    "coverage": "Show how many addresses of a list a survey has reached.",
    "navigation": "Tell the menus of a surveyed site from its content.",
    "problems": "Show what went wrong in a run, by kind, property and page.",
    "diff": "Show what changed between two runs.",
    "accept": "Accept that what the latest runs suspect is gone.",
    "alerts": "List the messages that were sent or wait, and send them.",
    "history": "Show an object through all runs.",
    "explain": "Show which page, element and text a value comes from.",
    "names": "Show the people on the pages of a run.",
    "query": "Query the data with SPARQL.",
    "export": "Write the data to a file: the current state, or a run.",
    "shapes": "Print SHACL shapes that the data of a model conforms to.",
    "serve": "Publish a store: pages for people, Linked Data and SPARQL.",
}
"""In the order in which a newcomer needs them."""
