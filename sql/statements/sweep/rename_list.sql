-- why: the certified parts of a list together are the list
update {{answers}}
set list = $after
where attempt = $attempt and list = $before
