"""What models with a known bias are made of: words and sentences with an effect, and what a kind of test plants in them."""
