"""Shapes and labels in the words of NumPy, pandas, scikit-learn and XGBoost."""

from cases import said_by


def ones(*shape):
    import numpy

    return numpy.ones(shape)


@said_by("numpy")
def numpy_assign():
    """Four values are written to three places."""
    target = ones(3)
    target[:] = ones(4)


@said_by("numpy")
def numpy_dot():
    """Matrices that do not fit, by dot."""
    ones(2, 3).dot(ones(2, 3))


@said_by("numpy")
def numpy_matmul():
    """Matrices that do not fit, by @."""
    ones(2, 3) @ ones(2, 3)


@said_by("numpy")
def numpy_reshape():
    """Six numbers into a shape for eight."""
    ones(6).reshape(2, 4)


@said_by("numpy")
def numpy_concatenate():
    """Arrays that differ in another axis than the one they are joined along."""
    import numpy

    numpy.concatenate([ones(2, 3), ones(2, 4)])


@said_by("numpy")
def numpy_concatenate_dimensions():
    """A vector and a matrix are joined."""
    import numpy

    numpy.concatenate([ones(2, 3), ones(2)])


@said_by("numpy")
def numpy_stack():
    """Arrays of two shapes are stacked."""
    import numpy

    numpy.stack([ones(3), ones(4)])


@said_by("numpy")
def numpy_ragged():
    """Rows of different lengths."""
    import numpy

    numpy.array([[1, 2], [3]])


@said_by("numpy")
def numpy_index_arrays():
    """Two index arrays of different lengths."""
    ones(5, 5)[[0, 1], [0, 1, 2]]


@said_by("numpy")
def numpy_index_values():
    """Three values are written to two places by index."""
    target = ones(5)
    target[[0, 1]] = ones(3)


@said_by("numpy")
def numpy_boolean_index():
    """A mask of another length than the array."""
    import numpy

    ones(3)[numpy.array([True, False])]


@said_by("numpy")
def numpy_inverse():
    """The inverse of a matrix that is not square."""
    import numpy

    numpy.linalg.inv(ones(2, 3))


@said_by("numpy")
def numpy_histogram_nan():
    """A histogram of weights that are not numbers."""
    import numpy

    numpy.histogram(numpy.array([1.0, float("nan")]))


@said_by("numpy")
def numpy_choice_nan():
    """A choice by probabilities that are not numbers."""
    import numpy

    numpy.random.default_rng(0).choice(2, p=[float("nan"), 0.5])


@said_by("numpy")
def numpy_least_squares():
    """Least squares with more right sides than rows."""
    import numpy

    numpy.linalg.lstsq(ones(2, 3), ones(4), rcond=None)


@said_by("numpy")
def numpy_axis():
    """The third axis of a matrix."""
    ones(2, 3).sum(axis=2)


@said_by("pandas")
def pandas_column_length():
    """A column of another length than the table."""
    import pandas

    table = pandas.DataFrame({"a": [1, 2, 3]})
    table["b"] = [1, 2]


@said_by("pandas")
def pandas_passed_values():
    """Two names for three columns."""
    import pandas

    pandas.DataFrame(ones(2, 3), columns=["a", "b"])


@said_by("pandas")
def pandas_array_lengths():
    """A table of columns of two lengths."""
    import pandas

    pandas.DataFrame({"a": [1, 2], "b": [1, 2, 3]})


@said_by("pandas")
def pandas_axis_length():
    """Three new names for two columns."""
    import pandas

    table = pandas.DataFrame(ones(2, 2))
    table.columns = ["a", "b", "c"]


@said_by("pandas")
def pandas_key_length():
    """Two names are assigned three columns."""
    import pandas

    table = pandas.DataFrame(ones(2, 2))
    table[["a", "b"]] = ones(2, 3)


@said_by("scikit-learn", "sklearn.linear_model")
def sklearn_samples():
    """More samples than labels."""
    from sklearn.linear_model import LinearRegression

    LinearRegression().fit(ones(4, 2), ones(3))


@said_by("scikit-learn", "sklearn.linear_model")
def sklearn_flat():
    """One feature as a flat array."""
    from sklearn.linear_model import LinearRegression

    LinearRegression().fit(ones(4), ones(4))


@said_by("scikit-learn", "sklearn.preprocessing")
def sklearn_unseen_label():
    """A label that the encoder was not made with."""
    from sklearn.preprocessing import LabelEncoder

    LabelEncoder().fit(["cat", "dog"]).transform(["fish"])


@said_by("xgboost-cpu", "xgboost")
def xgboost_classes():
    """Labels 1 and 2 instead of 0 and 1."""
    from xgboost import XGBClassifier

    XGBClassifier(n_estimators=1).fit(ones(4, 2), [1, 1, 2, 2])
