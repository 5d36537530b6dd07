"""The queue in PostgreSQL, shared by workers on many machines; everything is one transaction or one statement.

``address`` says which server, ``database`` connects and waits for one that is away, ``tables`` creates what is needed.
``queue`` knows the runs and their workers; ``frontier`` has the entries of one run, with ``claims``, ``commits``,
``leads`` and ``ending``; ``hosts`` shares turns and requests at once; ``blocks`` carries results to whoever leads a
run. All times are those of the server: the clocks of the machines may differ.
"""
