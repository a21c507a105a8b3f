-- why: types have their present names in every row, so that one type is one series. The counts stay as they are
update marts.compliance_days as counts
set assessment_type = types.name
from main.assessment_types as types
where types.assessment_type_id = counts.assessment_type_id and counts.assessment_type is distinct from types.name
