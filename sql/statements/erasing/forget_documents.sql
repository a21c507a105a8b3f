-- why: if no erasure keeps documents away any more, propsync asks for them again
delete from main.documents where state = 'erased'
