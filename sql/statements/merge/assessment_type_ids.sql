-- why: a member with values that are ids of listed types names a type
select assessment_type_id from {{history}} as versions where valid_to is null
