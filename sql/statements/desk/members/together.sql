-- why: columns of one form have cells in the same rows, be they empty. Only a form that lacks a column has NULL there
select exists (from {{table}} where coalesce({{present}}) is not null and {{other}} is not null)
