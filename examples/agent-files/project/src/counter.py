import re


def count(text):
    """How many words and lines a text has."""
    return {"words": len(re.findall(r"[\w'-]+", text)), "lines": len(text.splitlines())}
