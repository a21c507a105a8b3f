-- why: to people, a record that comes from a hidden type is new
update history.{{table}} as versions
set change = 'insert'
where valid_from = $run_time
  and change = 'update'
  and ({{key_columns}}) not in (
    select ({{key_columns}})
    from history.{{table}}
    where valid_to is null and valid_from < $run_time and change <> 'delete'
  )
