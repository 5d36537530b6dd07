"""Results and reports as people read them: lines, blocks and tables that fit a terminal of 80 columns."""
