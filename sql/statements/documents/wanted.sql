-- why: the first documents to be asked for
select {{columns}} from staging.wanted_documents where place <= $most order by place
