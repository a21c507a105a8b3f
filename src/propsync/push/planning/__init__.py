"""From rows of a file, or from earlier writes, to the entries of a plan."""
