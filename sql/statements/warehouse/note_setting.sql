-- why: macros in people's own clients know no setting of propsync
insert into ops.settings
select $setting, $value
where not exists (from ops.settings where setting = $setting)
