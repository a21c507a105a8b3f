"""`propsync demo`: all features with made-up data, in under a minute."""
