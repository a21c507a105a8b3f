-- why: a state that hides something else is made from the whole history
select * from {{history}} as versions where change <> 'erase'
