-- why: what a line hides is in no published table, so only the file of hidden records says that it hides anything
select line from fields
union
select line from met
