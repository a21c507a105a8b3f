-- why: a look-up, a certificate and a group that is held must know the records of hidden types
(
  select {{columns}}
  from {{records}} as records
  where resource = {{resource}}
    and {{is_present}}
    and not exists (
      from {{records}} as later
      where later.resource = records.resource
        and later.key_1 = records.key_1
        and later.key_2 = records.key_2
        and later.valid_from > records.valid_from
    )
    and not exists (from history.{{table}} as versions where {{is_same}} and versions.valid_from > records.valid_from)
)
