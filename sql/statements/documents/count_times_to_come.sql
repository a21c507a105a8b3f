select count(*) from main.documents where asked_at > $latest or verified_at > $latest
