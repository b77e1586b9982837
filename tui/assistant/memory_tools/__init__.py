"""The tools by which a model looks things up in the wiki while it answers."""
