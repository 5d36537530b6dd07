"""A run that has ended goes in; events that are new since the run before come out, as messages that arrive once.

``events`` finds out what has happened, ``messages`` puts it into words, the outbox keeps it until it is delivered, and
``messengers`` deliver it by mail, to webhooks and through Apprise.
"""
