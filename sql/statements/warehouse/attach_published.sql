-- why: it has the name that a client gives it who opens it, so the same SQL reads it
attach {{file}} as warehouse (read_only)
