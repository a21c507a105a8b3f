-- why: ids that lists have, to compare with those of the API
create or replace table staging.listed_ids (list varchar, file varchar, record_id varchar)
