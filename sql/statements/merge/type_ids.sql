-- why: a member with values that are ids of listed types names a type
select {{key}} from {{history}} as versions where valid_to is null
