-- why: the API may have lists of properties that its document does not show, and their names differ
create or replace table staging.listed_by_api (property_id varchar, valid_from timestamptz, valid_to timestamptz)
