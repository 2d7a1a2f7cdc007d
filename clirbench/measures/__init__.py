"""IR measures: rank-biased overlap, the AQWV family, and everything ir-measures can parse."""
