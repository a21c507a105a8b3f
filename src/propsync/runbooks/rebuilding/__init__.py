"""Makes the tables again from what was landed."""
