"""The table of a class: a request goes in; its page, or exactly what it shows as CSV or JSON, comes out."""
