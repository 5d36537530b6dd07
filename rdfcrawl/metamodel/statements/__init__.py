"""A source goes in; its statements come out: with their places, by resource, and as the terms of the metamodel."""
