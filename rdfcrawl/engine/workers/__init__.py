"""The processes that read pages: bytes and a page kind go in, an extraction comes out, within limits of time and memory."""
