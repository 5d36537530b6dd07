"""The durable queue of a run: what is to be read, what was read, and what is known about hosts and pages."""
