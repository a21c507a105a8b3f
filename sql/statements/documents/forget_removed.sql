-- why: the contents of a removed document go with it
delete from {{table}} where document_sha256 in (select unnest($hashes))
