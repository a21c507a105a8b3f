"""The cost of propsync, as ratios to a bare script that does the same work once and without care."""
