"""The oracle: it knows the world and what was shown of it, and shares no code with propsync."""
