-- why: the rows of a resource that breaks a rule stay as they were published before
attach {{file}} as earlier (read_only)
