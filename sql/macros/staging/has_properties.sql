-- Whether propsync keeps the properties behind the counts of a day: without end for the end of a fiscal year, else for 13 months.
create macro staging.has_properties(day, is_year_end, today) as is_year_end or day >= today - interval 13 months;
