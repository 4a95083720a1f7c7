// HF603: tensors whose shapes or number types do not go together, in the frameworks' own words.
#include <array>

#include "diagnose/facts/exceptions.h"
#include "diagnose/rules/rules.h"
#include "diagnose/text/exception_text.h"

namespace holdfast::rules {
namespace {

using enum Confidence;

constexpr std::array shape_texts{
    // PyTorch
    ExceptionWords{"", "shapes cannot be multiplied", "", "", certain},
    ExceptionWords{"", "must match the size of tensor", "", "", certain},
    ExceptionWords{"RuntimeError", "size mismatch", "", "", certain},
    ExceptionWords{"", "Sizes of tensors must match", "", "", certain},
    ExceptionWords{"", "stack expects each tensor to be equal size", "", "", certain},
    ExceptionWords{"", "Tensors must have same number of dimensions", "", "", certain},
    ExceptionWords{"", "expected input[", "channels", "", certain},
    ExceptionWords{"", "batch_size (", "to match target batch_size", "", certain},
    ExceptionWords{"", "Using a target size", "different to the input size", "", certain},
    ExceptionWords{"", "Expected target size", "got", "", certain},
    ExceptionWords{"", "is invalid for input of size", "", "", certain},
    ExceptionWords{"", "must have the same dtype", "", "", certain},
    ExceptionWords{"", "expected scalar type", "but found", "", certain},
    ExceptionWords{"", "Input type (", "should be the same", "", certain},
    ExceptionWords{"", "Found dtype ", "but expected", "", certain},
    ExceptionWords{"", "to have the same dtype, but got", "", "", certain},
    ExceptionWords{"", "The expanded size of the tensor", "must match", "", certain},
    ExceptionWords{"RuntimeError", "Expected ", "input", "_check_input_dim", certain},
    ExceptionWords{"ValueError", "expected ", "input (got", "_check_input_dim", certain},
    ExceptionWords{"RuntimeError", "Expected 2D (unbatched) or 3D", "", "", certain},
    ExceptionWords{"RuntimeError", "Expected 3D (unbatched) or 4D", "", "", certain},
    ExceptionWords{"RuntimeError", "mat2 must be a matrix", "", "", certain},
    ExceptionWords{"RuntimeError", "input.size(-1) must be equal to input_size", "", "", certain},
    ExceptionWords{"AssertionError", "was expecting embedding dimension of", "", "", certain},
    ExceptionWords{"RuntimeError", "shape mismatch", "", "", certain},
    ExceptionWords{"RuntimeError", "Kernel size can't be greater than actual input", "", "",
                   certain},
    ExceptionWords{"RuntimeError", "Output size is too small", "", "", certain},
    ExceptionWords{"RuntimeError", "should contain", "elements not", "", certain},
    ExceptionWords{"RuntimeError", "expected input with shape", "but got input of size", "",
                   certain},
    ExceptionWords{"RuntimeError", "Expected size for first two dimensions", "but got", "",
                   certain},
    ExceptionWords{"RuntimeError", "which does not broadcast with previously seen size", "", "",
                   certain},
    ExceptionWords{"RuntimeError", "view size is not compatible with input tensor's size", "", "",
                   certain},
    ExceptionWords{"ValueError", "Target size (", "must be the same as input size", "", certain},
    ExceptionWords{"RuntimeError", "expected target dtype to be", "", "", certain},
    ExceptionWords{"RuntimeError", "to have one of the following scalar types", "but got", "",
                   certain},
    ExceptionWords{"IndexError", "The shape of the mask", "does not match", "", certain},
    ExceptionWords{"RuntimeError", "number of dimensions in the tensor input does not match", "",
                   "", certain},
    ExceptionWords{"ValueError", "must have the same number of spatial dimensions", "", "",
                   certain},
    ExceptionWords{"AssertionError", "Size mismatch between tensors", "", "", certain},
    ExceptionWords{"IndexError", "Dimension out of range (expected to be in range", "", "", likely},
    ExceptionWords{"RuntimeError", "Expected more than 1 value per channel when training", "", "",
                   likely},
    ExceptionWords{"RuntimeError", "Trying to create tensor with negative dimension", "", "",
                   likely},
    ExceptionWords{"RuntimeError", "input and weight dtypes", "", "", likely},
    // NumPy, pandas and scikit-learn
    ExceptionWords{"ValueError", "operands could not be broadcast", "", "", certain},
    ExceptionWords{"ValueError", "could not broadcast input array", "", "", certain},
    ExceptionWords{"ValueError", "not aligned: ", "", "", certain},
    ExceptionWords{"ValueError", "mismatch in its core dimension", "", "", certain},
    ExceptionWords{"ValueError", "cannot reshape array of size", "", "", certain},
    ExceptionWords{"ValueError", "all the input array dimensions", "must match", "", certain},
    ExceptionWords{"ValueError", "all input arrays must have the same shape", "", "", certain},
    ExceptionWords{"ValueError", "inhomogeneous shape", "", "", certain},
    ExceptionWords{"IndexError", "shape mismatch: indexing arrays", "", "", certain},
    ExceptionWords{"ValueError", "shape mismatch: ", "", "", certain},
    ExceptionWords{"ValueError", " features, but ", "is expecting", "", certain},
    ExceptionWords{"ValueError", "inconsistent numbers of samples", "", "", certain},
    ExceptionWords{"ValueError", "Expected 2D array, got", "", "", certain},
    ExceptionWords{"ValueError", "does not match length of index", "", "", certain},
    ExceptionWords{"ValueError", "Shape of passed values is", "indices imply", "", certain},
    ExceptionWords{"ValueError", "All arrays must be of the same length", "", "", certain},
    ExceptionWords{"ValueError", "must have same number of dimensions", "", "", certain},
    ExceptionWords{"ValueError", "Length mismatch: Expected axis has", "", "", certain},
    ExceptionWords{"ValueError", "Columns must be same length as key", "", "", certain},
    ExceptionWords{"LinAlgError", "dimensions of the array must be square", "", "", certain},
    ExceptionWords{"LinAlgError", "incompatible dimensions", "", "", certain},
    ExceptionWords{"IndexError", "boolean index did not match indexed array", "", "", certain},
    ExceptionWords{"AxisError", "is out of bounds for array of dimension", "", "", likely},
    // TensorFlow and Keras
    ExceptionWords{"", "is incompatible with the layer", "", "", certain},
    ExceptionWords{"", "Incompatible shapes", "", "", certain},
    ExceptionWords{"ValueError", "Shapes ", "are incompatible", "", certain},
    ExceptionWords{"ValueError", "Dimensions must be equal", "", "", certain},
    ExceptionWords{"", "Matrix size-incompatible", "", "", certain},
    ExceptionWords{"InvalidArgumentError", "must be equal", "shape", "", certain},
    ExceptionWords{"ValueError", "must have the same shape", "", "", certain},
    ExceptionWords{"ValueError", "expects ", "input(s), but it received", "", certain},
    ExceptionWords{"InvalidArgumentError", "Input to reshape is a tensor with", "", "", certain},
    ExceptionWords{"ValueError", "Cannot assign value to variable", "Shape mismatch", "", certain},
    ExceptionWords{"", "Data cardinality is ambiguous", "", "", certain},
    ExceptionWords{"InvalidArgumentError", "Shapes of all inputs must match", "", "", certain},
    ExceptionWords{"InvalidArgumentError", "was expected to be a", "tensor but is a", "", certain},
    ExceptionWords{"ValueError", "requires inputs with matching shapes", "", "", certain},
    ExceptionWords{"ValueError", "Inputs have incompatible shapes", "", "", certain},
    ExceptionWords{"ValueError", "The total size of the tensor must be unchanged", "", "", certain},
    ExceptionWords{"ValueError", "could not be loaded", "The shape of the target variable", "",
                   certain},
    ExceptionWords{"InvalidArgumentError", "Cannot batch tensors with different shapes", "", "",
                   certain},
    ExceptionWords{"InvalidArgumentError", "Cannot add tensor to the batch", "", "", certain},
};

}  // namespace

std::optional<Finding> shape_mismatch(const Autopsy& death) {
    const std::optional<ExceptionSaid> said = exception_said(death, shape_texts);
    // A file cut short is reshaped into what its header promised.
    if (!said || bad_input(death)) return std::nullopt;
    return finding_about(death, "shape-mismatch"_cause, sure_of(death, *said),
                         facts::ShapeMismatch{*said});
}

}  // namespace holdfast::rules
