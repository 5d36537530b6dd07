"""The files of the runs, the source of truth: their records, what was left unread, and their integrity."""
