-- why: rows that propsync made before a member had a column may have an object or an array there
select exists (from ({{rows}}) where list_count(payload->>[{{paths}}]) > 0)
