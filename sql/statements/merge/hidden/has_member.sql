-- why: not every member has a column: some are lists, or inside another
select exists (from main.{{table}} where contains(payload::varchar, {{member}}))
