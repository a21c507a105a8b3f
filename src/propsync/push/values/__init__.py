"""The values of cells, as the API accepts them and as the tables show them."""
