"""What choosing by a metric loses, whether other reasonable choices choose otherwise, and what a tau depends on."""
