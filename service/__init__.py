"""Everything that people see: the command line, the live service, the page, the overlay and the evidence."""
