"""What a terminal shows: text as it is, tables, progress; and options that many commands take."""
