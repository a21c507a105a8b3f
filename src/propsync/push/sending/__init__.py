"""Sends what a plan says, once, and finds out what came of each write."""
