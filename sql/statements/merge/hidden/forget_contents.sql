-- why: to people, an assessment that went over to a hidden type is deleted, and nothing of its documents is shown
delete from {{table}} where {{condition}}
