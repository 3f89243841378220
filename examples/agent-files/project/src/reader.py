from pathlib import Path


def read(path):
    """The text of a file, or of all files of a folder."""
    path = Path(path)
    if path.is_dir():
        return "\n".join(read(child) for child in sorted(path.iterdir()))
    return path.read_text(encoding="utf-8")
