-- why: hints are kept as long as landing
delete from ops.hints where state <> 'waiting' and received_at < $before
