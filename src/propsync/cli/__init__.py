"""The terminal: commands, progress, exit codes. No order of steps of its own."""
