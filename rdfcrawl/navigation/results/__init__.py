"""What was found out about the navigation of a survey: written as RDF, read again, and shown in every form."""
