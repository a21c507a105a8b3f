-- why: each field through all versions shows when it changed last; no value and null are the same
followed as (
  -- each field through all versions; no value and null are the same
  select
    compared.resource,
    compared.record_id,
    compared.is_result,
    compared.field,
    records.valid_from,
    records.is_old,
    coalesce(digest, [chr(31) || 'null']) as digest
  from compared
  join records on records.resource = compared.resource and records.record_id = compared.record_id
  left join digests
    on digests.resource = compared.resource
    and digests.record_id = compared.record_id
    and digests.is_result = compared.is_result
    and digests.field = compared.field
    and digests.valid_from = records.valid_from
),
stepped as (
  select
    *,
    lag(digest) over (partition by resource, record_id, is_result, field order by valid_from) as digest_before
  from followed
),
dated as (
  select resource, record_id, is_result, field, max(valid_from) as field_changed_at
  from stepped
  where not is_old and digest is distinct from digest_before
  group by resource, record_id, is_result, field
)
