-- why: history as of a moment: without later versions, and without the closes that they made
select {{named}}, case when valid_to <= {{moment}} then valid_to end as valid_to
from {{history}} as versions
where valid_from <= {{moment}} and change <> 'erase'
order by {{key_columns}}, valid_from
