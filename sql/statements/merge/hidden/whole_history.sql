-- why: whatever decides about completeness and comparison sees the records as they came
(
  select versions.* replace (
    coalesce(whole.record_hash, versions.record_hash) as record_hash,
    coalesce(whole.payload_hash, versions.payload_hash) as payload_hash,
    coalesce(whole.payload, versions.payload) as payload
  )
  from history.{{table}} as versions
  left join (from {{kept}} where resource = {{resource}}) as whole
    on whole.key_1 = versions.{{first}} and whole.key_2 = {{second}} and whole.valid_from = versions.valid_from
)
