-- why: each run judges every list
delete from ops.reference_issues
