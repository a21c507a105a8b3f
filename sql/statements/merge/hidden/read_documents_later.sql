-- why: propsync reads the documents of a hidden type when the type is shown again
update main.documents set read_at = null where {{hidden}}
