"""What a model writes where it names a place or a text: XPath with functions of XPath 2, CSS, regular expressions.

Texts go in; compiled expressions, or what is wrong with them, come out. Pure, and below everything that reads a model.
"""
