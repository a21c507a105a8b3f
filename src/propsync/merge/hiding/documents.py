"""Contents of documents whose assessment went over to a hidden type after propsync had read them."""

from __future__ import annotations

from propsync.merge.freshness import mark_tables
from propsync.merge.hiding.state import Hiding
from propsync.warehouse import Warehouse, statement


def forget_contents(warehouse: Warehouse, hiding: Hiding, run_id: str) -> None:
    """Takes them out of the tables; propsync reads these documents again when their type is shown."""
    contents = hiding.unopened()
    is_hidden = contents.pop("main.documents", None)
    if is_hidden is None or not warehouse.value(statement("merge/hidden/count_read_documents", hidden=is_hidden)):
        return
    with warehouse.transaction():
        for table, condition in contents.items():
            warehouse.execute(statement("merge/hidden/forget_contents", table=table, condition=condition))
        warehouse.execute(statement("merge/hidden/read_documents_later", hidden=is_hidden))
        for schema in ("main", "history"):
            names = [name for one, _, name in (table.partition(".") for table in contents) if one == schema]
            mark_tables(warehouse, run_id, schema, names)
