-- why: a value came that the column's type cannot hold
alter table {{table}} alter column {{column}} type {{type}}
