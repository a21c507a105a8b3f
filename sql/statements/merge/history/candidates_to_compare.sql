-- why: the records whose bytes differ from those known: propsync reads them from their pages
select sequence, position, place
from staging.candidates
where is_to_compare
order by place
