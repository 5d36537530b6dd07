"""Events go in; what mails, webhooks and lists say about them comes out: pure."""
