-- why: the increase is the number of new versions
select count(version) from main.documents
