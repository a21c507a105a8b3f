-- why: a tombstone opens with the record's last payload, which no page has
select place, payload from staging.changed where is_concluded
