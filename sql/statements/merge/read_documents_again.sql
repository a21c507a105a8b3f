-- why: the next archive run reads a bundle again if its rows lack columns, or come from an older reader
update main.documents set read_at = null
