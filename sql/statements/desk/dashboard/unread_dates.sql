-- why: assessments have dates, in a form that propsync does not read
select setting
from ops.desk
where setting = 'assessment_date' and value is null and contains(evidence, {{unread}})
