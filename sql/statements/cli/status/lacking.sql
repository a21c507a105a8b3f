-- why: documents that are wanted and lacking
select reason, count(*) as documents
from marts.document_coverage
group by reason
order by reason
