"""What protects the server: a boundary around every request, and bounds on connections."""
