-- why: an erasure may not change an id by which propsync knows records
select distinct {{column}} from {{relation}} where {{column}} is not null
