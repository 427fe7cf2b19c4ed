"""HTTP services as tools, from their OpenAPI documents: ``deck.add_openapi``."""
