"""People's own lists of names and addresses: propsync reads their files, checks them, and makes tables of them."""
