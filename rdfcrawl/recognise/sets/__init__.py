"""Text goes in; names come out by a state machine over three sets of names: for comparison with results of its kind."""
