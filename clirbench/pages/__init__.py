"""What a report is made of: one kind of table, one kind of page, and the text of every number in them."""
