-- why: the run log names a record by the parts of its key, with a slash between
select
  resource,
  if(
    key_2 = '',
    key_1,
    replace(replace(key_1, '\', '\\'), '/', '\/') || '/' || replace(replace(key_2, '\', '\\'), '/', '\/')
  )
from hidden.records
