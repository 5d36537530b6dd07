"""The durable queue of a run: what is to be read, what was read, and what is known about hosts and pages.

``protocol`` says what a queue can do, ``entries``, ``hosts`` and ``seen`` are what goes in and comes out, ``opening``
opens a queue, ``sqlite`` keeps it in a file, and ``outcome`` turns what a page said into what becomes of its entry.
"""
