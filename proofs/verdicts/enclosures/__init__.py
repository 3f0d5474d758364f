"""From one start: enclosures follow the solution until a local certificate decides."""
