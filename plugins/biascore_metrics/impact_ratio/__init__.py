"""Impact ratios: how often people of each category are selected, over the category that is selected most often."""
