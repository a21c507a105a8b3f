-- why: a spreadsheet would run a text that begins like a formula, and reads no time zone
select {{cells}} from answer as answer({{names}})
