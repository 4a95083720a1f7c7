"""Maps frames of code that TensorFlow's AutoGraph wrote to the lines it was made from.

A function that tf.function compiles runs as a copy in a temporary file, which is gone afterwards.
TensorFlow's exception lists the lines it came from in its text, outermost first, each with a star:

    File "train.py", line 11, in step  *
"""

_GENERATED = "/__autograph_generated_file"
_PREFIX = "tf__"


def translated(places, text):
    """The places of exceptions.py, with generated ones replaced if the text names the line."""
    if not any(_GENERATED in place[0] for _, place in places):
        return places
    told = _told(text)
    result = []
    for frame, place in places:
        if _GENERATED in place[0]:
            name = place[1].rsplit(".", 1)[-1]
            name = name[len(_PREFIX) :] if name.startswith(_PREFIX) else name
            at = next((i for i, (_, function, _) in enumerate(told) if function == name), None)
            if at is not None:
                place = told[at]
                told = told[at + 1 :]  # both lists are in the order of the calls
        result.append((frame, place))
    return result


def _told(text):
    """(file, function, line) of each line with a star."""
    told = []
    for line in text.split("\n"):
        line = line.strip()
        if not line.startswith('File "') or not line.endswith("  *"):
            continue
        file, found, rest = line[len('File "') :].partition('", line ')
        number, also_found, function = rest[: -len("  *")].partition(", in ")
        if found and also_found and number.isdigit():
            told.append((file, function.strip(), int(number)))
    return told
