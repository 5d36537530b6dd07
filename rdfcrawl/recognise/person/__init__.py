"""Lines go in; the names of persons come out, by rules, scores and what the page itself shows about its places."""
