-- why: one query counts the rows of all tables that a run changed
select {{counts}}
