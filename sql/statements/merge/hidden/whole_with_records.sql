-- why: whatever decides about completeness and comparison sees the records of hidden types, and true changes of others
(
  with shown as (
    from {{shown}}
  ),
  hidden_versions as (
    select {{columns}} from {{records}} as records where resource = {{resource}}
  ),
  hidden_keys as (
    select distinct {{key_columns}} from hidden_versions
  ),
  of_them as (
    from shown semi join hidden_keys using ({{key_columns}}) anti join hidden_versions using ({{key_columns}}, valid_from)
    union all by name
    from hidden_versions
  )
  from shown anti join hidden_keys using ({{key_columns}})
  union all by name
  select * replace (
    lead(valid_from) over of_key as valid_to,
    if(change = 'insert' and lag(change) over of_key <> 'delete', 'update', change) as change
  )
  from of_them
  window of_key as (partition by {{key_columns}} order by valid_from)
)
