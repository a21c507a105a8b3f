-- why: a column dates assessments if it says when those that are approved were performed
select count(*), {{dated}} from {{source}} where staging.is_approved(status)
