-- why: only the lists of the attempt that counts remain
delete from {{answers}} where attempt <> $attempt or not list_contains($lists, list)
