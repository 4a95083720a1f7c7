"""The words about a kernel's memory: plain text for terminals, HTML for notebooks."""

from hooks.memory_advice import duration

_UNITS = ("B", "KiB", "MiB", "GiB", "TiB", "PiB")
SHOWN = 8  # variables


def human(amount):
    """ "1.5 GiB": three significant digits at most."""
    size, unit = float(amount), 0
    while size >= 1000 and unit < len(_UNITS) - 1:
        size /= 1024
        unit += 1
    digits = 0 if unit == 0 or size >= 100 else 1 if size >= 10 else 2
    text = f"{size:.{digits}f}"
    return f"{text.rstrip('0').rstrip('.') if '.' in text else text} {_UNITS[unit]}"


def figure(one):
    return ("about " if one["about"] else "") + human(one["bytes"])


def label(one):
    """The name, and whose variable it is."""
    where = f" in {one['owner']}()" if one["owner"] else ""
    also = f" (also {', '.join(one['also'])})" if one["also"] else ""
    return one["path"] + where + also


def kind(one):
    """What it is, and by how much it grew."""
    return one["text"] + (f", +{human(one['grown'])} lately" if one["grown"] else "")


def grown(facts):
    grew = facts["grew"]
    if grew is None:
        return ""
    more = f"grew by {human(grew['grown'])}" if grew["grown"] else f"holds {human(grew['bytes'])}"
    return f"{grew['name']} ({grew['kind']}, {grew['items']:,} items) {more} lately"


def company(facts):
    """Who else shares the limit."""
    found = []
    for one in facts["others"][:3]:
        idle = one["idle"]
        state = (
            "" if idle is None else ", running a cell" if idle == 0 else f", idle {duration(idle)}"
        )
        found.append(f"{human(one['bytes'])} in {one['name']}{state}")
    return "; ".join(found)


def plain(facts):
    rows = [facts["headline"]]
    rows += [f"  {facts[name]}" for name in ("figures", "note") if facts.get(name)]
    shown = facts["variables"][:SHOWN]
    width = max([len(label(one)) for one in shown] or [0])
    for number, one in enumerate(shown):
        head = "  largest  " if number == 0 else "           "
        rows.append(f"{head}{figure(one):>15}  {label(one):<{width}}  {kind(one)}")
    for head, text in (("grew", grown(facts)), ("others", company(facts))):
        if text:
            rows.append(f"  {head:<8} {text}")
    for number, one in enumerate(facts["advice"]):
        rows.append(f"  {'do now' if number == 0 else '':<8} {number + 1}. {one['text']}")
        rows += [f"                {line}" for line in one["code"].splitlines()]
    return "\n".join(rows)


_FRAME = (
    "border:1px solid {0};border-left-width:4px;border-radius:4px;padding:6px 12px;margin:4px 0;"
    "max-width:48em;font-family:system-ui,sans-serif;font-size:13px;line-height:1.45"
)
_CELL = "text-align:left;padding:0 10px 0 0"


def html(facts):
    """Colours that can be read on light and dark pages; every text escaped."""
    refused = facts["kind"] != "variables"
    rows = "".join(
        f'<tr><td style="text-align:right;padding:0 10px 0 0">{_safe(figure(one))}</td>'
        f'<td style="{_CELL}"><code>{_safe(label(one))}</code></td>'
        f'<td style="{_CELL}">{_safe(kind(one))}</td></tr>'
        for one in facts["variables"][:SHOWN]
    )
    parts = [f"<div><b>{_safe(facts['headline'])}</b></div>"]
    shown = [facts[name] for name in ("figures", "note") if facts.get(name)]
    parts += [f"<div>{_safe(text)}</div>" for text in shown]
    if rows:
        parts.append(f'<table style="margin:4px 0;font-size:12px">{rows}</table>')
    for head, text in (("Grew", grown(facts)), ("Others", company(facts))):
        if text:
            parts.append(f'<div style="margin:4px 0"><b>{head}:</b> {_safe(text)}</div>')
    if facts["advice"]:
        steps = "".join(f"<li>{_marked(one['text'])}{_code(one)}</li>" for one in facts["advice"])
        parts.append(f'<b>Do now</b><ol style="margin:2px 0 2px 1.5em;padding:0">{steps}</ol>')
    style = _FRAME.format("#b26a00" if refused else "#2e7d8c")
    return f'<div class="holdfast-memory" style="{style}">{"".join(parts)}</div>'


def one_line(text):
    """One quiet line for the running cell, as a notebook's display data."""
    style = "border-left:4px solid #b26a00;padding:0 8px;font-family:system-ui,sans-serif"
    marked = f'<div class="holdfast-line" style="{style};font-size:13px">{_marked(text)}</div>'
    return {"text/plain": text, "text/html": marked}


def _code(one):
    if not one["code"]:
        return ""
    style = "margin:2px 0 2px 1em;white-space:pre-wrap"
    return f'<pre style="{style}"><code>{_safe(one["code"])}</code></pre>'


def _marked(text):
    """`names` as code."""
    parts = _safe(text).split("`")
    if len(parts) % 2 == 0:  # an odd backtick is one
        return _safe(text)
    return "".join(f"<code>{part}</code>" if at % 2 else part for at, part in enumerate(parts))


def _safe(text):
    for character, entity in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ('"', "&quot;")):
        text = text.replace(character, entity)
    return text
