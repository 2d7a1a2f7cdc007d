"""Tables of published papers, computed again from the scores behind them and held against what was printed."""
