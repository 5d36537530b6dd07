"""A file that is no page goes in: PDF, DOCX, ODT, PPTX, plain text; its text in blocks comes out. Pure."""
