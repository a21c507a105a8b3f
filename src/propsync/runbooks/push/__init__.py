"""Applies, shows and undoes plans."""
