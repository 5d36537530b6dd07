"""Two runs go in; what was added, changed, removed or merely not seen comes out.

``diff`` finds the triples that differ, ``changes`` says what they mean, ``carry_over`` keeps what was not seen, and
``models`` tells edits of the model apart. ``compare`` and ``recording`` do this with the runs of a store; ``report``,
``formats`` and ``history`` are for readers, ``pruning`` for the disk.
"""
