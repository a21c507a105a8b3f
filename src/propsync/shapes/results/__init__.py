"""Field results: the member that names the field, and the member that has the value of each kind (API §2.2)."""
