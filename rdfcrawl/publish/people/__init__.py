"""The people of a run go in; an index of everybody and a page for each person come out."""
