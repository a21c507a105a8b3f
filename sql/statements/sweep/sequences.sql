-- why: the answers with a staged record
select distinct sequence from {{answers}}
