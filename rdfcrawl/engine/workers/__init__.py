"""Processes that read pages within limits of time and memory: bytes and a page kind go in, an extraction comes out."""
