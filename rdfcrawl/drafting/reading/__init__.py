"""Pages as what they show: texts, labels, rows, lists of links, and how a list goes on."""
