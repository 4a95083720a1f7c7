// HF602: a class label or an index outside the range that the model allows.
#include <array>

#include "base/format.h"
#include "diagnose/exception_text.h"
#include "diagnose/rules/rules.h"
#include "diagnose/words.h"

namespace holdfast::rules {
namespace {

using enum Confidence;

// An IndexError of a list, an array or a tensor that the user indexes is not here: it says the same
// words as these, of another type, and is an ordinary mistake.
constexpr std::array label_texts{
    ExceptionWords{"IndexError", "Target ", "is out of bounds", "", certain},
    ExceptionWords{"InvalidArgumentError", "Received a label value of", "outside the valid range",
                   "", certain},
    ExceptionWords{"InvalidArgumentError", "indices[", "is not in [", "", certain},
    ExceptionWords{"RuntimeError", "is out of bounds for dimension", "with size", "", certain},
    ExceptionWords{"RuntimeError", "Class values must be ", "", "", certain},
    ExceptionWords{"RuntimeError", "of input takes value", "not in the valid range", "", certain},
    ExceptionWords{"ValueError", "contains previously unseen labels", "", "", certain},
    ExceptionWords{"ValueError", "Invalid classes inferred from unique values of `y`", "", "",
                   certain},
    ExceptionWords{"IndexError", "index out of range in self", "", "", likely},
    ExceptionWords{"RuntimeError", "all elements of target should be between 0 and 1", "", "",
                   likely},
    ExceptionWords{"RuntimeError", "all elements of input should be between 0 and 1", "", "",
                   likely},
    ExceptionWords{"RuntimeError", "Assertion `cur_target >= 0 && cur_target < n_classes' failed",
                   "", "", certain},
};

struct Range {
    std::optional<long> index;
    std::optional<long> size;  // what is allowed is 0 to size - 1
};

Range range_in(std::string_view message) {
    Range range;
    for (const std::string_view mark : {"Target ", "label value of ", "] = ", "index "})
        if (message.find(mark) != std::string_view::npos) {
            range.index = number_after(message, mark);
            break;
        }
    for (const std::string_view mark : {"valid range of [0,", "is not in [0,", "with size "})
        if (!range.size) range.size = number_after(message, mark);
    return range;
}

std::string summary_of(const Death& death, const Range& range) {
    if (range.index && range.size && *range.size > 0)
        return formatted("{} met the label or index {}, where only 0 to {} are allowed.",
                         who(death), *range.index, *range.size - 1);
    if (range.index)
        return formatted("{} met the label {}, for which the model has no output.", who(death),
                         *range.index);
    return formatted("{} met a label or an index outside the range the model allows.", who(death));
}

}  // namespace

std::optional<Finding> bad_label(const Death& death) {
    const std::optional<ExceptionSaid> said = exception_said(death, label_texts);
    if (!said) return std::nullopt;
    const Range range = range_in(said->message);
    Finding finding = finding_of(death, "bad-label"_cause, *said, summary_of(death, range));
    const bool keras = said->type.ends_with("InvalidArgumentError");
    const bool embedding = said->message.find("in self") != std::string::npos ||
                           said->message.find("indices[") != std::string::npos;
    if (range.index && *range.index < 0)
        finding.fixes.push_back(
            {formatted("{} usually stands for \"ignore this\": tell the loss so, or mask these "
                       "entries before they are used as an index.",
                       *range.index),
             keras ? formatted("SparseCategoricalCrossentropy(ignore_class={})", *range.index)
                   : formatted("nn.CrossEntropyLoss(ignore_index={})", *range.index)});
    else if (embedding)
        finding.fixes.push_back(
            {range.index ? formatted("Give the embedding at least {} rows, or keep the tokens "
                                     "within the ones it has.",
                                     *range.index + 1)
                         : "Give the embedding as many rows as there are tokens.",
             keras ? formatted("keras.layers.Embedding({}, ...)",
                               range.index ? std::to_string(*range.index + 1) : "words")
                   : "model.resize_token_embeddings(len(tokenizer))"});
    else if (range.index)
        finding.fixes.push_back(
            {formatted("Labels that count from 1 end one too high: subtract 1; otherwise the "
                       "last layer needs {} outputs or more.",
                       *range.index + 1),
             keras ? "y = y - y.min()" : "labels = labels - labels.min()"});
    finding.fixes.push_back(
        {"Check all labels once before training, where the message can name the file.",
         "assert 0 <= int(labels.min()) and int(labels.max()) < num_classes"});
    return finding;
}

}  // namespace holdfast::rules
