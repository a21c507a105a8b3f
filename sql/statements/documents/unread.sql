-- why: versions whose content is in no table yet
select assessment_id, kind, sha256, path, is_latest
from main.documents
where state = 'stored' and read_at is null and list_contains($kinds, kind)
order by assessment_id, kind, version
