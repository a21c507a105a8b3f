-- why: how many versions came is told by how many there are more
select count(version) from main.documents
