"""What a model says about alerts goes in; events and recipients, or what is wrong with them, come out."""
