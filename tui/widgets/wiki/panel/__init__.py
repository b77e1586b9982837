"""What stands around the open article: contents, backlinks, links, mentions, graph."""
