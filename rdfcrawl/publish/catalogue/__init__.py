"""The current state as tables that can be ordered, filtered, counted and searched without reading all of it.

A snapshot goes in; a file of SQLite is made of it once, and kept for as long as the state is the current one. Pages of
tables, facets, histograms and hits come out. It holds columns: the order of their values, who has each of a few of
them, and texts without case. What is shown is read from the store.
"""
