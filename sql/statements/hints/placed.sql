-- why: a hint about a property is about every record there
select {{property}}, {{key_columns}} from main.{{table}} where list_contains($properties::varchar[], {{property}})
