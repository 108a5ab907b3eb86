"""Models as metrics see them: references, questions, adapters, and the way of a question to its answer."""
