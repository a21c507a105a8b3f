-- why: an erasure in force whose file is lost would no longer keep anything from coming back
select erasure_id, kind, erased_at, reason from ops.erasures where not is_forgotten
