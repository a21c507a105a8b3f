"""The doctor names members that may be about people, as a line of `[privacy] hide` would name them."""

from __future__ import annotations

from propsync.runbooks.doctor.privacy import personal


def test_words_in_the_name_of_a_member_count_however_it_joins_them() -> None:
    named = ["assessments.tenantName", "assessments.phone_number", "assets.dateOfBirth", "assets.eMail", "tenants.DOB"]
    assert personal([*named, "assets.renamedAt", "assets.Healthy", "assets.unnamed"]) == sorted(named)
