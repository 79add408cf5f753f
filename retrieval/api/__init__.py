"""The API under /api/v1: the pages' own services and selectors, in JSON, for a session or a service token."""
