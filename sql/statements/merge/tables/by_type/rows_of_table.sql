-- why: the assets of one type's table, under the name of the table
select {{name}} as name, asset_id from by_type.{{table}}
