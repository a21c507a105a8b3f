-- why: a plan that changes a large share of a type needs consent
select asset_type_id, count(*) from assets group by all
