-- why: the files beside landing know every erasure
delete from ops.erasures
