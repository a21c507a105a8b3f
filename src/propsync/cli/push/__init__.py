"""`propsync push`: plans, templates, sending, undoing and past plans."""
