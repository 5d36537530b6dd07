"""A model whose selectors died goes in, with what the last good run knew; edits that find it again come out.

Nothing is guessed: an edit is proposed because reading the pages with it gives the known values again.
"""
