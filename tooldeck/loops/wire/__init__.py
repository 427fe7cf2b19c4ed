"""The forms in which providers write conversations, and the HTTP that carries them."""
