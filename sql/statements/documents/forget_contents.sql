-- why: propsync replaces the content of a document as a whole, so that reading twice equals reading once
delete from main.{{table}} where {{column}} in (select unnest($values))
