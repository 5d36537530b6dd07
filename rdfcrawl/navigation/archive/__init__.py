"""The archive of a survey goes in; the links of its pages come out, and what they are is written into the store."""
