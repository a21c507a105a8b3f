-- why: what a document holds is put in place whole, so that reading twice is reading once
delete from main.{{table}} where {{column}} in (select unnest($values))
