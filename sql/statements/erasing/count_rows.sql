-- why: a dry run shows where something is
with relation as (
  select nfc_normalize(replace({{row}}, chr(0), chr(31))) as written from {{table}}  -- NFC stops at a zero
)
select count(*) from relation
where regexp_matches(written, $pattern, 'i') and regexp_matches(written, $of_asset, 'i')
