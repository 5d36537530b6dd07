"""What disappeared between two runs goes in; what of it is not believed, and which selector has died, comes out.

``losses`` counts what is missing and what is left, ``judging`` has the thresholds, ``evidence`` reads the problems of
the run, ``selectors`` finds the part of the model that they point to, ``trial`` puts these together; ``wording`` and
``record_rdf`` say it to people and queries, and ``acceptance`` turns suspicion into removal.
"""
