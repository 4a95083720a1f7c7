// HF603: tensors whose shapes or number types do not go together, in the frameworks' own words.
#include <array>

#include "base/format.h"
#include "base/text.h"
#include "diagnose/exception_text.h"
#include "diagnose/last_text.h"
#include "diagnose/rules/rules.h"
#include "diagnose/words.h"

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

// "(4x7200 and 7688x10)"
struct Product {
    long given = 0, wanted = 0, outputs = 0;
};

std::optional<Product> product_in(std::string_view text) {
    const std::size_t open = text.find('(');
    const std::size_t and_at = text.find(" and ", open);
    const std::size_t close = text.find(')', and_at);
    if (open == std::string_view::npos || and_at == std::string_view::npos ||
        close == std::string_view::npos)
        return std::nullopt;
    const auto left = split(text.substr(open + 1, and_at - open - 1), 'x');
    const auto right = split(text.substr(and_at + 5, close - and_at - 5), 'x');
    if (left.size() != 2 || right.size() != 2) return std::nullopt;
    const auto given = parse_number<long>(left[1]);
    const auto wanted = parse_number<long>(right[0]);
    const auto outputs = parse_number<long>(right[1]);
    if (!given || !wanted || !outputs) return std::nullopt;
    return Product{*given, *wanted, *outputs};
}

bool about_dtype(std::string_view text) {
    for (const std::string_view word : {"dtype", "scalar type", "Input type ("})
        if (text.find(word) != std::string_view::npos) return true;
    return false;
}

bool has(const std::string& text, std::string_view part) {
    return text.find(part) != std::string::npos;
}

// What was seen decides; one that fits, not a list.
Fix fix_for(const ExceptionSaid& said) {
    const std::string line = said.line();
    if (has(line, "shapes cannot be multiplied"))
        if (const auto product = product_in(line))
            return {formatted("The layer takes {} features and was given {}: build it with what "
                              "arrives, or reshape what arrives.",
                              product->wanted, product->given),
                    formatted("nn.Linear({}, {})   # or nn.LazyLinear({})", product->given,
                              product->outputs, product->outputs)};
    if (about_dtype(line))
        return {
            "Bring both to one number type where the data enters; NumPy makes float64, models "
            "are float32.",
            "x = x.float()   # or model.double(); labels: y = y.long()"};
    if (has(said.message, "loading state_dict"))
        return {
            "The checkpoint belongs to a model with other layer sizes: build that one, or leave "
            "out the layers that differ.",
            "state = {k: v for k, v in state.items() if v.shape == model.state_dict()[k].shape}\n"
            "model.load_state_dict(state, strict=False)"};
    if (has(line, "channels, but got"))
        return {formatted("The first layer takes {} channels and the images have {}.",
                          number_after(line, "to have").value_or(0),
                          number_after(line, "but got").value_or(0)),
                "image.convert(\"RGB\")   # or nn.Conv2d(1, ...)"};
    if (has(line, "stack expects each tensor to be equal size"))
        return {
            "The samples of a batch differ in size: pad or resize them in the dataset, or pad "
            "them when the batch is put together.",
            "DataLoader(..., collate_fn=pad)   # torch.nn.utils.rnn.pad_sequence"};
    if (has(line, "batch_size") || has(line, "must match the size of tensor"))
        return {
            "If it strikes at the end of an epoch, the last batch is the smaller one: leave it "
            "out, or take sizes from x.shape.",
            "DataLoader(..., drop_last=True)"};
    if (has(line, "is incompatible with the layer"))
        return {"Give the model the shape it is fed, or feed the shape it was built for.",
                "keras.Input(shape=x.shape[1:])"};
    if (has(line, "is expecting"))
        return {
            "Make the columns at prediction time in the same way as for fit: one pipeline for "
            "both.",
            "make_pipeline(ColumnTransformer(...), model)"};
    return {"Print both shapes at the line named here, and find which one is not what you meant.",
            "print(a.shape, b.shape)"};
}

}  // namespace

std::optional<Finding> shape_mismatch(const Death& death) {
    const std::optional<ExceptionSaid> said = exception_said(death, shape_texts);
    // A file cut short is reshaped into what its header promised.
    if (!said || bad_input(death)) return std::nullopt;
    const std::string line = said->line();
    Finding finding =
        finding_of(death, "shape-mismatch"_cause, *said,
                   formatted("{} joined {} that do not go together: {}", who(death),
                             about_dtype(line) ? "number types" : "shapes", shortened(line)));
    finding.fixes.push_back(fix_for(*said));
    return finding;
}

}  // namespace holdfast::rules
