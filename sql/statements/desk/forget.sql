-- why: a mart has one row, that of the last run that built it or failed to
delete from ops.marts where list_contains($marts, mart)
