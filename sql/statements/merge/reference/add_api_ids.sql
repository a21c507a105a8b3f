-- why: an id that only the API has is missing in people's list
insert into staging.api_ids
select $list, {{key}} from main.{{table}}
