"""How functions, objects and remote descriptions become tools."""
