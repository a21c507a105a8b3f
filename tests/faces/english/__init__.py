"""The rules of plain English, and the lint that holds every text of the project to them."""
