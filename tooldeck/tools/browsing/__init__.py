"""The parts of ``browser``: one Chromium for each session, behind a proxy that asks the URL guard."""
