"""Two runs go in; what was added, changed, removed or only not seen comes out.

``diff`` finds the triples that differ, ``changes`` says what they mean, ``carried`` keeps what a run could not see, and
``models`` tells edits of the model apart. ``compare`` and ``recording`` do this with the runs of a store; ``report``,
``formats`` and ``history`` are for readers, ``prune`` for the disk.
"""
