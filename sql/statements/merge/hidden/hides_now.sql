-- why: a member that records no longer have may have another name, and be shown under it
select not exists (from history.{{table}} where valid_to is null and change <> 'delete') or exists (
  from {{kept}} as whole
  join history.{{table}} as versions
    on whole.key_1 = versions.{{first}} and whole.key_2 = {{second}} and whole.valid_from = versions.valid_from
  where whole.resource = {{resource}}
    and versions.valid_to is null
    and versions.change <> 'delete'
    and contains(whole.payload::varchar, {{member}})
) as is_hidden
