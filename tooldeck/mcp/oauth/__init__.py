"""Signing in to MCP servers: OAuth 2.1 as the protocol has it, with a browser on this machine or another.

The client library does the protocol; here is what it leaves to a program: who is asked, where the browser
comes back to, which addresses may be reached meanwhile, and where tokens are kept.
"""
