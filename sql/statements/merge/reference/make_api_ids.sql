-- why: ids that the API's own lists have, to compare with those of people's lists
create or replace table staging.api_ids (list varchar, record_id varchar)
