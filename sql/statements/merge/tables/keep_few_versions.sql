-- why: few versions are read once and kept: each further read would unpack the payloads beside them
create or replace table staging.{{kept}} as
{{query}}
