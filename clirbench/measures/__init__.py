"""IR measures: rank-biased overlap, AQWV, and everything ir-measures can parse."""
