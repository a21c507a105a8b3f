-- why: results of requests wait here until they are in main.documents
create or replace table staging.taken_documents ({{columns}})
