-- title: Properties without a required assessment
-- of: marts.compliance.is_missing
-- why: properties for which the API shows no approved assessment of a type that they must have. If one was deleted, the
-- reason in marts.compliance says so
select
  coalesce(property_label, property_name, property_id) as property,
  homes,
  count(*) as lacking,
  array_to_string(list_sort(list(coalesce(type_label, assessment_type, assessment_type_id))), '; ') as assessment_types
from marts.compliance
left join (select property_id, property_label from marts.properties) as labels using (property_id)
left join (select assessment_type_id, type_label from main.assessment_types) as types using (assessment_type_id)
where is_missing
group by property_id, property_name, property_label, homes
order by lacking desc, homes desc nulls last, property
