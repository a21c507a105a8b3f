"""A plan in words and rows for the people who review it."""
