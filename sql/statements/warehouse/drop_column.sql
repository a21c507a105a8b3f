-- why: people's own list may have given a table a column that goes with the list, or that the API has now
alter table {{table}} drop column if exists {{column}}
