-- why: the content of a document that an assessment of a shown type has too stays
select sha256 from main.documents where sha256 is not null and ({{is_hidden}}) is not true
