select '{{name}}' as resource, {{parts}}, record_hash, valid_from, valid_to, change
from history.{{table}}
where change <> 'erase'
