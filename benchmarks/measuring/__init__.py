"""How programs are started, what they took, and how results are compared, kept and shown."""
