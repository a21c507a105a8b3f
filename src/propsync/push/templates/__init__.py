"""Present values as a file to edit."""
