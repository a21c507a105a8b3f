-- why: flags have columns for their own members
select unnest(staging.entries(payload->'$."flags"')) as payload from history.assessments
