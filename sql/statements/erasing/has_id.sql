-- why: an id that other records have too would change them
select exists(from {{relation}} where {{column}} = $words)
