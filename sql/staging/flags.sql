-- grain: assessment_id, flag_position
-- why: flags come inside the assessment, because propsync always requests `includeflags`: an array, or an object keyed
-- by flag. An array in place of a flag is none: it may be a list of flags in an object, or the history of one. Then a
-- scalar beside it, such as a count, is none either
with versions as (
  select assessment_id, readable->'$."flags"' as flags
  from staging.readable_versions
),
listed as (
  select
    assessment_id,
    generate_subscripts(staging.entries(flags), 1)::integer as flag_position,
    staging.exact_text(unnest(staging.entry_names(flags))) as flag_key,
    unnest(staging.entries(flags)) as flag,
    json_type(flags) = 'OBJECT'
    and list_contains(
      list_transform(staging.entries(flags), lambda entry: json_type(entry)), 'ARRAY'
    ) as is_list_inside
  from versions
)
select assessment_id, flag_position, flag_key, flag
from listed
where json_type(flag) <> 'ARRAY' and (json_type(flag) = 'OBJECT' or not is_list_inside)
