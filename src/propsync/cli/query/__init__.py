"""`propsync query`: its SQL, and rows as a table or a file."""
