"""After how many failures look-ups continue."""

from propsync.sweep.lookups.batches import Batch, Failing


def test_look_ups_continue_without_one_id_of_a_thousand_and_end_after_three() -> None:
    failing, batch = Failing(), Batch.of([(str(number),) for number in range(1_000)])
    assert not failing.has_any
    while len(batch.values) > 1:
        assert failing.may_continue(batch)
        batch = batch.halves()[0]
    assert failing.has_any
    assert [failing.may_continue(batch) for _ in range(4)] == [True, True, True, False]


def test_look_ups_of_many_ids_that_all_fail_end() -> None:
    failing, batch = Failing(), Batch.of([("a",), ("b",)])
    assert sum(failing.may_continue(batch) for _ in range(1_000)) == 30
