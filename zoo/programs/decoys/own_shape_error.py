"""The user's own exception that only sounds like a framework's."""
# zoo end: exception


class ShapeError(Exception):
    pass


raise ShapeError("please choose circle or square as the shape")  # guilty
