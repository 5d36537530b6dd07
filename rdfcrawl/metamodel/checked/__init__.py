"""Takes the text of a model; returns the model and the findings, from memory if the same text was checked before."""
