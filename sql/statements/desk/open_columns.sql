-- why: the columns that only the data makes, of the tables in which the desk looks for dates and words
select table_name, source, column_name
from ops.columns
where table_schema = 'main' and table_name in ('assessments', 'assessment_flags', 'assessment_flag_history', 'bundle_actions')
order by all
