-- why: results are dates and times though no definition says so
select asset_type_id, field_id, list(distinct kind)
from {{values}}
where value_text is not null and asset_type_id is not null and kind in ('text', 'date', 'time')
group by all
