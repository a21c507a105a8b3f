-- why: models read the dirty versions by one name, kept or in place
create or replace view staging.dirty_versions as
{{query}}
