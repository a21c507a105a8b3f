-- grain: assessment_id, kind, version
-- why: one row per stored version, and one for a missing or failed document
from staging.documents_after
