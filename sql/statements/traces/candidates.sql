-- why: what a fast test lets through, a slow one looks at
select {{value}} from {{relation}} where {{test}}
