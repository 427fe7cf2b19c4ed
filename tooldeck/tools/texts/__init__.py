"""Texts of files: encodings and line ends, what an edit means, anchors of lines, diffs and patches."""
