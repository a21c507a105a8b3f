-- why: the published file says by which settings its macros understand people
delete from ops.settings where setting = $setting and value <> $value
