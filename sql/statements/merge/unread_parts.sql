-- why: status and doctor name the parts of records that propsync cannot read
select resource, part, evidence from ops.shapes where source = $source order by all
