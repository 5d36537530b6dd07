"""The files of a survey go in; tables, coverage, pictures and findings for those who look after a site come out."""
