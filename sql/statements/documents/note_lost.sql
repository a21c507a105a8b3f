-- why: each version of a lost file says how propsync lost it
update main.documents
set last_error = told.mark
from (select unnest($paths) as path, unnest($marks) as mark) as told
where documents.path = told.path
