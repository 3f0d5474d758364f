"""Whether attention with given matrices is a gradient flow, decided exactly."""
