-- why: propsync does not look again for a file that it removed
update main.documents
set verified_at = $verified_at
where state = 'removed' and verified_at is null
