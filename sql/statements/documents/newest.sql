-- why: assessments that changed after the newest requested version go first
select max(of_changed_at) from main.documents
