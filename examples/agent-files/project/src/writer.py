import json


def write(figures, form="table"):
    """The figures in one of three forms."""
    if form == "json":
        return json.dumps(figures)
    if form == "csv":
        return ",".join(figures) + "\n" + ",".join(str(value) for value in figures.values())
    return "\n".join(f"{name:<8}{value:>8}" for name, value in figures.items())
