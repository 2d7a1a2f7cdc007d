"""report.html and its companions: one file each, no network, everything from data escaped."""
