-- why: a build that failed between two tables leaves a mark that is too old, or lacks one. A mark without a time says
-- only that the next build makes every row again
select
  (select count(*) from ops.tables where table_schema = 'main' and list_contains($tables, table_name)) < len($tables)
  or exists (
    from ops.tables where table_schema = 'main' and list_contains($tables, table_name) and built_through < $latest
  )
