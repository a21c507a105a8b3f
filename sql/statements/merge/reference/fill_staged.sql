-- why: people's lists have any columns, and marts read the agreed ones
insert into {{table}} ({{names}})
select {{values}} from {{source}}
