-- why: a chunk of files to hash: a kill costs no more work than that
select path, sha256, size_bytes, kind, assessment_id, last_error, latest
from staging.files_to_verify
where place <= $most
qualify sum(size_bytes) over (order by place) - size_bytes < $most_bytes
order by place
