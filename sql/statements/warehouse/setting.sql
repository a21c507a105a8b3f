-- why: a run that changes nothing builds no mart
select value from ops.settings where setting = $setting
