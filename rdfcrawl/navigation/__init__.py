"""The links of a site's pages go in; which of them are navigation, the systems they form and a site map come out: pure.

The definitions and algorithms are those of a thesis on recognising navigation in web documents, in its words: links are
*grouped* where they stand alike in the tree of a page, groups of different pages *harmonise* where they have the same
links in the same order, and groups that link to each other's pages as menus do form a *navigation graph*. A group that
points at such a system from a page outside of it is an *outsider*; every other link is content. Beside that exact rule
there is a tolerant one, which is the default. ``archive`` reads the pages, ``results`` is what is kept and shown.
"""
