"""The numbers of a run or the rows of an answer go in; pictures with axes come out, as numbers that templates draw.

Every picture is drawn on the server as plain SVG, once for wide and once for narrow screens, so that its writing stays
as large as that of the page. Nothing is loaded from elsewhere, and a map has degrees instead of streets.
"""
