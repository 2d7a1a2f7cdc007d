"""Systems whose errors are known, made from the reference."""
