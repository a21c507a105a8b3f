-- why: the known keys of a part of a list: propsync asks for them by id if no filter narrows the part further
select {{key}}, {{property}}, {{type}} from {{table}} as present
