"""When a host may be asked, how often, and for what: pace, robots.txt and the time of day."""
