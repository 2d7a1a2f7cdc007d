"""What runs neural models or asks a server: translators, dense retrieval, fusion."""
