-- why: a dry run shows where something is
select count(*) from {{table}}
where regexp_matches(nfc_normalize(replace({{row}}, chr(0), chr(31))), $pattern, 'i')  -- NFC stops at a zero
