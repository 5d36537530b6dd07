"""Runs on several machines: a task for workers goes in, and what they read comes out in the leader's journal."""
