"""The process that opens documents, and the side that talks to it."""
