-- why: people read once what stays so; a column that comes back is no news, and a hidden member is not absent from the API
delete from ops.schema_changes as again
where run_id = $run_id
  and (
    ({{hidden}})
    or (
      change in ('column', 'documented member absent', 'further members stay in payload', 'members with such names stay in payload')
      and exists (
        from ops.schema_changes as first_note
        where first_note.resource = again.resource
          and first_note.change = again.change
          and first_note.name = again.name
          and first_note.run_id < again.run_id
      )
    )
  )
