-- why: the records whose own status propsync reads from their pages
select sequence, position from staging.candidates order by place
