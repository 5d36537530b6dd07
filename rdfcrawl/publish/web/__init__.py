"""What answers: requests go in; pages, documents, feeds and dumps come out."""
