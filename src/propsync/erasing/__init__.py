"""Erasing: finds what a request names, and takes it out of every file that other files are made from."""
