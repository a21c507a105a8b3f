-- why: lost files, each with one of its documents, and their number
select path, min(kind) as kind, min(assessment_id) as assessment_id, max(last_error) as mark, count(*) over () as files
from main.documents
where starts_with(last_error, $lost) and path is not null
group by path
order by path
limit $most
