"""A run and the run before go in; the events that an alert wants come out."""
