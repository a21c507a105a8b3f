"""`propsync erase`: what it takes and what it prints."""
