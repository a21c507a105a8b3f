"""The journals of plans, `ops.writes`, and the words that an erasure takes out of both."""
