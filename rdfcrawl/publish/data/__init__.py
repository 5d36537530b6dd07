"""What reads: a store goes in; objects, classes, changes and histories come out."""
