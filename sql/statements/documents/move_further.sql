-- why: a new column takes the cells that waited for it
update {{table}}
set {{column}} = further ->> $name, further = json_merge_patch(further, json_object($name, null))
where json_exists(further, $name)
