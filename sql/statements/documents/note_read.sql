-- why: propsync does not read a version again if its content is in tables
update main.documents
set read_at = $read_at
where list_contains($kinds, kind) and (assessment_id, sha256) in (select unnest($assessment_ids), unnest($hashes))
