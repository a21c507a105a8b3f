-- why: the first documents to request
select {{columns}} from staging.wanted_documents where place <= $most order by place
