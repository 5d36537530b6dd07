"""What ``export`` writes besides RDF and tables in files: texts, and databases."""
