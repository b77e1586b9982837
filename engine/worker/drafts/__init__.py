"""Several tokens in one pass over the weights: drafted, checked, and kept where they are right."""
