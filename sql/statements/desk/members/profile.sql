-- why: the column that plays a part shows it by what it holds; a sample of whole records tells, the same one each time. A
-- day that stands for no date is an empty cell. If one record has a text in place of an
-- object, that column has the JSON of the object in all others. It is no name and no other text
with chosen as materialized (
  select rowid as place
  from {{table}}
  where hash(assessment_id) % (select greatest(1, count(*) // {{most}})::ubigint from {{table}}) = 0
),
sampled as (
  select {{cells}} as cells from {{table}} as rows where rowid in (select place from chosen)
),
filled as (
  select member, written
  from (select unnest({{members}}) as member, unnest(cells) as written from sampled)
  where not staging.is_blank(written) and not staging.is_no_date(written)
),
counted as (
  select member, written, count(*) as cells, count(*) over (partition by member) as different
  from filled
  group by member, written
),
told as (
  -- a pattern, since a text may be nested too deep for functions of JSON
  select * replace (case when not regexp_matches(written, '^\s*(\{\s*["}]|\[\s*["{\[\]])') then written end as written)
  from counted
),
judged as (
  -- a column of many different texts has no states or priorities, and words are slow to compare
  select
    *,
    case when different <= {{most_words}} then staging.state(written, $open_words, $closed_words) <> 'unknown' end as is_state,
    case when different <= {{most_words}} then staging.rank_of(written, $priority_order) is not null end as is_priority
  from told
)
select
  member,
  sum(cells)::bigint as filled,
  coalesce(sum(cells) filter (is_state), 0) / sum(cells) as state,
  coalesce(sum(cells) filter (is_priority), 0) / sum(cells) as priority,
  coalesce(sum(cells) filter (staging.day_written(trim(written), 'UTC') is not null), 0) / sum(cells) as day,
  coalesce(sum(cells) filter (staging.is_other_day(trim(written))), 0) / sum(cells) as other_day,
  coalesce(sum(cells) filter (staging.amount(trim(written)) is not null), 0) / sum(cells) as amount,
  coalesce(sum(cells) filter (staging.is_other_amount(trim(written))), 0) / sum(cells) as other_amount,
  coalesce(sum(cells) filter (lower(written) in ('true', 'false')), 0) / sum(cells) as truth,
  coalesce(sum(cells) filter (contains(trim(written), ' ')), 0) / sum(cells) as person,
  coalesce(sum(cells) filter (written is not null), 0) / sum(cells) as text
from judged
group by member
order by member
