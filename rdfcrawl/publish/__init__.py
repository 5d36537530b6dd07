"""A store goes in; a SPARQL endpoint, Linked Data with its history and pages for people come out.

``snapshot`` holds one state of the store open for reading and follows finished runs. ``objects``, ``classes``,
``changes`` and ``histories`` read from it; the other modules answer requests with what they find.
"""
