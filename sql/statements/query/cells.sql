-- why: two columns for each of the answer's: the number of a cell, and its text if it has none
select {{cells}} from answer as answer({{names}})
