"""Which model is used: found, chosen, switched, fetched. Plain Python without Textual."""
