-- why: look-ups of a run without lists ask for some known records, to see whether they show anything
select {{key_columns}} from {{present}} as present order by hash({{key_columns}}) limit $most
