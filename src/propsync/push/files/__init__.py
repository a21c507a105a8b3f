"""Files of corrections as rows of cells, and the damage that spreadsheets do to them."""
