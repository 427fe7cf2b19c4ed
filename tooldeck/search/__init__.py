"""Finding one tool among many, and showing a model few of them until it asks for more."""
