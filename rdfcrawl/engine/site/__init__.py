"""Surveys: a document or an answer goes in; its links, its facts and what belongs to the site come out. Pure."""
