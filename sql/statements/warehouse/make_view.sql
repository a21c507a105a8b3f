-- why: propsync makes each view again at each publication, as its columns may follow those of a table
create or replace view {{view}} as
{{query}}
