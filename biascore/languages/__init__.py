"""What is known of a language's grammar, above all in which gender a sentence speaks of its speaker."""
