"""An error handler raises another exception: the last one counts."""
# zoo end: exception


def load(settings):
    try:
        return settings["model"]
    except KeyError as error:
        raise ValueError("settings have no model") from error  # guilty


load({})
