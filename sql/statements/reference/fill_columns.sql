-- why: the values of people's list, beside those of the API; a record that the list lacks has none
update main.{{table}} as shown
set {{new_values}}
from (
  select main.{{table}}.{{key}} as record_key, own.*
  from main.{{table}}
  left join reference.{{table}} as own on own.{{key}} = main.{{table}}.{{key}}
) as own
where shown.{{key}} = own.record_key and ({{differs}})
