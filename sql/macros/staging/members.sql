-- The JSON pointer to a member, whatever its name.
create macro staging.pointer(member) as '/' || replace(replace(member, '~', '~0'), '/', '~1');

-- The name of a member without case and separators.
create macro staging.plain_name(member) as regexp_replace(lower(member), '[^a-z0-9]', '', 'g');
