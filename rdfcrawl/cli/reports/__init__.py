"""Commands that report on runs and surveys."""
