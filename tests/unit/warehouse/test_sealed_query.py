"""A question that fails leaves nothing open: DuckDB would wait without end for a file that is only half closed."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest

from propsync.errors import QueryWrong
from propsync.warehouse.query_result import QueryResult
from propsync.warehouse.sealed_query import SealedQuery


@pytest.fixture
def no_collection() -> Iterator[None]:
    """Nothing goes but what nothing refers to."""
    gc.collect()
    gc.disable()
    yield
    gc.enable()


@pytest.mark.usefixtures("no_collection")
@pytest.mark.parametrize("kind", ["csv", "json", "parquet"])
def test_rows_that_end_in_an_error_go_at_once(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "warehouse.duckdb"
    duckdb.connect(str(path)).close()
    late = "select if(n = 9000, 'x', '1')::int as one from range(10000) as numbers(n)"
    with SealedQuery(path, zone="UTC", memory_limit="200MB") as inquiry:
        for question in inquiry.questions(late):
            answer = inquiry.ask(question)
            assert answer is not None
            with pytest.raises(QueryWrong):
                b"".join(answer.pieces(kind))
            del answer
    assert [one for one in gc.get_objects() if isinstance(one, QueryResult)] == []
