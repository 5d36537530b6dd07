"""A value goes in; why it is there comes out: page, element and steps, told by the command ``explain``.

The command runs as a process of its own, with limits: it reads pages that nobody trusts, and perhaps for a long time.
"""
