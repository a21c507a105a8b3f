-- why: what came of asking waits here until it is in main.documents
create or replace table staging.taken_documents ({{columns}})
