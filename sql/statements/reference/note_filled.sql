-- why: propsync publishes the table again, although the API's records are the same
update ops.tables set changed_run_id = $run_id where table_schema = 'main' and table_name = $table
