"""The lines of a page go in; the names and other finds in them come out, each with its parts and reasons.

Nothing here knows trees, networks or stores: ``engine/document/lines.py`` makes lines of a tree.
"""
