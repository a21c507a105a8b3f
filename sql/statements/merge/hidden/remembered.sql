-- why: the state names the file that has what it hides
select value from ops.settings where setting = 'hidden'
