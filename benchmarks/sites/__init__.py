"""The sites that are crawled, written to a folder, and the server that answers for them."""
