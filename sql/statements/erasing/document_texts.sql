-- why: the text of a report that is in a table need not be read from its file again
select document_sha256, list(text order by page_number) from main.document_text group by document_sha256
