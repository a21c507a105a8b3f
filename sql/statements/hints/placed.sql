-- why: a hint about a property is about every record there
select {{property}}, {{key_columns}} from {{present}} as present where list_contains($properties::varchar[], {{property}})
