"""Where calls run: on the caller, on a loop, on the background thread, in a kernel."""
