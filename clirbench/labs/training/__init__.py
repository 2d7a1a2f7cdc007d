"""MT systems are trained from parallel text, by transformers' Seq2SeqTrainer."""
