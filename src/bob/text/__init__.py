"""Knowledge of language, once for all: sentences, words, dates, numbers, names, denial, cues, secrets."""
