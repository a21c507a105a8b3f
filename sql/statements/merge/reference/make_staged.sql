-- why: a list that is absent, or lacks a column, is as good as one with empty cells
create or replace table {{table}} ({{columns}})
