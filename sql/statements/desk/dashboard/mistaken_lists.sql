-- why: a list of yours with a mistake stays as it was before, and so do the states that rest on it
select list from ops.reference_issues where is_mistake group by list order by list
