"""What runs neural models, starts a program or asks a server: translators, metrics, dense retrieval."""
