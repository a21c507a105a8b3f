"""Writing back: a file of corrections becomes a plan, and a plan becomes writes that propsync verifies."""
