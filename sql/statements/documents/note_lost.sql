-- why: each version of a lost file says how propsync lost it
update main.documents
set last_error = marked.mark
from (select unnest($paths) as path, unnest($marks) as mark) as marked
where documents.path = marked.path
