"""The parts of ``verify_answer``: what may be asked of an answer, and the checks."""
