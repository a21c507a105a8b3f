-- why: what is published must not depend on a file that propsync replaces
detach earlier
