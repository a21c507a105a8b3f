-- why: people may have a property that the API has no record of yet
select distinct {{key}} from {{table}} where {{key}} is not null
