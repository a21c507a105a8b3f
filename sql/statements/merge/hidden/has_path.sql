-- why: a column of a shown table stays only if a shown version has its member at that path
select exists (from ({{payloads}}) where json_exists(payload, {{path}}))
