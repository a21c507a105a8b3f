-- grain: assessment_id, kind, version
-- why: one row a version that is kept, and one for what is missing or failed
from staging.documents_after
