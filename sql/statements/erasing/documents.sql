-- why: a document may be the same for two assessments; then it stays for the other
select distinct sha256 from main.documents where assessment_id = {{record_id}} and sha256 is not null
except
select sha256 from main.documents where assessment_id <> {{record_id}} and sha256 is not null
order by 1
