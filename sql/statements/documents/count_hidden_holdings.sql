-- why: no version that is published names an assessment of a hidden type, so a bag cannot say what its documents are
select count(*)
from main.documents
where
  state = 'stored' and path is not null and (is_latest or $all_versions)
  and assessment_id not in (select assessment_id from history.assessments)
