-- why: the table for people has the rows of the latest bundle alone
delete from main.bundle_actions
where assessment_id in (select unnest($assessment_ids))
  and (assessment_id, document_sha256) not in (
    select assessment_id, sha256 from main.documents where kind = 'bundle' and is_latest
  )
