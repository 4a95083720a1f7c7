def inner(value):
    raise ValueError(value)


inner("told")
