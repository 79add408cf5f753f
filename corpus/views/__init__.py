"""Pages of the corpus. Each parses, calls one function, renders."""
