-- why: people mean the end of a day, where the organisation is, and local time there by a time without a zone
case
  when regexp_full_match({{given}}::varchar, '\d{4}-\d{2}-\d{2}')
    then ({{given}}::varchar::date + 1)::timestamp at time zone zone - interval 1 microsecond
  when typeof({{given}}) like '%ZONE' or regexp_matches({{given}}::varchar, '([+-]\d\d(:?\d\d)?|Z)$')
    then {{given}}::varchar::timestamptz
  else {{given}}::varchar::timestamp at time zone zone
end
