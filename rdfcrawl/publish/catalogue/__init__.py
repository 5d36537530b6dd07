"""The current state as tables that can be ordered, filtered, counted and searched without reading all of it.

A snapshot goes in; a file of SQLite is made of it once, and pages of tables, facets, histograms and hits come out. It
holds copies of texts only: what is shown is read from the store.
"""
