"""Standard output and standard error: lines, tables and progress bars, also without a reader."""
