-- why: what each mart was built from tells whether it is behind
select mart, inputs, built_through, error is not null from ops.marts
