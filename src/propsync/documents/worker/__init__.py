"""The process in which documents are opened, and the side that talks to it."""
