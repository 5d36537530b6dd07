"""The queue in a SQLite file, in the process of its only worker; the only package of the frontier that contains SQL.

Statements take microseconds and are carried out in place. What takes longer, at the end of a run, goes to a thread.
"""
