"""What adapters of transformer models share, whatever runs the model: texts as tokens, questions as passes."""
