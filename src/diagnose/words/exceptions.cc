// HF601 to HF605, HF702 by the loader's time limit, and the telling lines, in words.
#include "diagnose/facts/exceptions.h"
#include "base/format.h"
#include "base/text.h"
#include "diagnose/words/account.h"
#include "diagnose/words/phrases.h"

namespace holdfast::facts {
namespace {

// Adds the exception as evidence.
Account raised(const Autopsy& death, const ExceptionSaid& said, std::string summary) {
    Account account = account_of(death, std::move(summary));
    account.saw(said.source, shortened(said.line()));
    return account;
}

bool counted_by_keras(const Autopsy& death) {
    const AgentEvidence* agent = death.agent;
    return agent != nullptr && agent->steps.source == steps_of_keras;
}

// Words the fixes for the framework whose steps were counted.
void add_nonfinite_fixes(Account& account, const Autopsy& death, bool found_already) {
    if (counted_by_keras(death)) {
        account.advise("Lower the learning rate, or cut the gradients.",
                       "optimizer = keras.optimizers.Adam(1e-4, clipnorm=1.0)");
        if (!found_already)
            account.advise("Find the operation that produces the first one (TensorFlow).",
                           "tf.debugging.enable_check_numerics()");
        return;
    }
    account.advise("Lower the learning rate, or cut the gradients.",
                   "torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)");
    if (!found_already)
        account.advise("Find the operation that produces the first one.",
                       "torch.autograd.set_detect_anomaly(True)");
}

std::string label_summary(const Autopsy& death, const BadLabel& facts) {
    if (facts.index && facts.size && *facts.size > 0)
        return formatted("{} used the label or index {}, but only 0 to {} are allowed.", who(death),
                         *facts.index, *facts.size - 1);
    if (facts.index)
        return formatted("{} used the label {}, for which the model has no output.", who(death),
                         *facts.index);
    return formatted("{} used a label or an index outside the range that the model allows.",
                     who(death));
}

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

bool speaks_of(const std::string& text, std::string_view part) {
    return text.find(part) != std::string::npos;
}

// One fix that fits what was seen, not a list.
Fix fix_for(const ExceptionSaid& said) {
    const std::string line = said.line();
    if (speaks_of(line, "shapes cannot be multiplied"))
        if (const auto product = product_in(line))
            return {formatted("The layer expects {} features and was given {}: build it for its "
                              "input, or reshape the input.",
                              product->wanted, product->given),
                    formatted("nn.Linear({}, {})   # or nn.LazyLinear({})", product->given,
                              product->outputs, product->outputs)};
    if (about_dtype(line))
        return {
            "Convert both to one number type where the data is loaded: NumPy makes float64, models "
            "are float32.",
            "x = x.float()   # or model.double(); labels: y = y.long()"};
    if (speaks_of(said.message, "loading state_dict"))
        return {
            "The checkpoint belongs to a model with other layer sizes: build that model, or leave "
            "out the layers that differ.",
            "state = {k: v for k, v in state.items() if v.shape == model.state_dict()[k].shape}\n"
            "model.load_state_dict(state, strict=False)"};
    if (speaks_of(line, "channels, but got"))
        return {formatted("The first layer takes {} channels and the images have {}.",
                          number_after(line, "to have").value_or(0),
                          number_after(line, "but got").value_or(0)),
                "image.convert(\"RGB\")   # or nn.Conv2d(1, ...)"};
    if (speaks_of(line, "stack expects each tensor to be equal size"))
        return {
            "The samples of a batch differ in size: pad or resize them in the dataset, or pad "
            "them when the batch is put together.",
            "DataLoader(..., collate_fn=pad)   # torch.nn.utils.rnn.pad_sequence"};
    if (speaks_of(line, "batch_size") || speaks_of(line, "must match the size of tensor"))
        return {
            "If it happens at the end of an epoch, the last batch is smaller: leave it out, or "
            "take sizes from x.shape.",
            "DataLoader(..., drop_last=True)"};
    if (speaks_of(line, "is incompatible with the layer"))
        return {
            "Build the model for the shape of its input, or give it the shape it was built for.",
            "keras.Input(shape=x.shape[1:])"};
    if (speaks_of(line, "is expecting"))
        return {
            "Make the columns for prediction in the same way as for fit: use one pipeline for "
            "both.",
            "make_pipeline(ColumnTransformer(...), model)"};
    return {"Print both shapes at the line named here, and find which one is not what you meant.",
            "print(a.shape, b.shape)"};
}

std::string file_in(const ExceptionSaid& said) {
    const std::string name = quoted(said.line());
    return name.find('.') != std::string::npos || name.find('/') != std::string::npos
               ? name
               : std::string();
}

}  // namespace

void tell(const NonfiniteFound& facts, const Autopsy& death, Account& account) {
    account =
        raised(death, facts.said, formatted("{} found a number that is not finite.", who(death)));
    add_nonfinite_fixes(account, death, facts.said.words->confidence == Confidence::certain);
}

void tell(const NonfiniteVariable& facts, const Autopsy& death, Account& account) {
    const bool left = facts.line.empty();
    account = account_of(death, left ? formatted("`{}` was {} when {} called sys.exit.", facts.name,
                                                 facts.value, who(death))
                                     : formatted("`{}` was {} when {} failed: {}", facts.name,
                                                 facts.value, who(death), shortened(facts.line)));
    account.saw("variable", formatted("{} = {}", facts.name, facts.value));
    if (!left) account.saw(facts.source, shortened(facts.line));
    add_nonfinite_fixes(account, death, false);
}

void tell(const NonfiniteLoss& facts, const Autopsy& death, Account& account) {
    const StepsEvidence& steps = facts.agent->steps;
    account.summary =
        formatted("The loss of step {} was not a finite number; {} steps followed it.",
                  *steps.first_nonfinite, facts.after);
    account.saw("first loss not finite", formatted("step {}", *steps.first_nonfinite));
    account.saw("steps", formatted("{}, counted by {}", steps.count, steps.source));
    if (steps.last_finite_loss)
        account.saw("last finite loss", formatted("{:.4g}", *steps.last_finite_loss));
    add_nonfinite_fixes(account, death, false);
}

void tell(const NonfiniteValidation& facts, const Autopsy& death, Account& account) {
    const std::string value = facts.measured.substr(facts.measured.rfind(' ') + 1);
    const bool trained_well = death.agent != nullptr && death.agent->steps.last_finite_loss;
    account.summary = formatted("The validation loss of epoch {} was {}{}.", facts.epoch, value,
                                trained_well ? ", although no training loss was" : "");
    account.saw("last validation", formatted("epoch {}: {}", facts.epoch, facts.measured));
    account.advise("Look for gaps and infinite numbers in the validation data.",
                   counted_by_keras(death)
                       ? "assert np.isfinite(x_val).all() and np.isfinite(y_val).all()"
                       : "assert torch.isfinite(x_val).all() and torch.isfinite(y_val).all()");
}

void tell(const BadLabel& facts, const Autopsy& death, Account& account) {
    account = raised(death, facts.said, label_summary(death, facts));
    const ExceptionSaid& said = facts.said;
    const std::optional<long> index = facts.index;
    const bool keras = said.type.ends_with("InvalidArgumentError");
    const bool embedding =
        speaks_of(said.message, "in self") || speaks_of(said.message, "indices[");
    if (index && *index < 0)
        account.advise(
            formatted("{} usually stands for \"ignore this\": tell the loss so, or mask these "
                      "entries before they are used as an index.",
                      *index),
            keras ? formatted("SparseCategoricalCrossentropy(ignore_class={})", *index)
                  : formatted("nn.CrossEntropyLoss(ignore_index={})", *index));
    else if (embedding)
        account.advise(index ? formatted("Give the embedding at least {} rows, or keep the tokens "
                                         "within the ones it has.",
                                         *index + 1)
                             : "Give the embedding as many rows as there are tokens.",
                       keras ? formatted("keras.layers.Embedding({}, ...)",
                                         index ? std::to_string(*index + 1) : "words")
                             : "model.resize_token_embeddings(len(tokenizer))");
    else if (index)
        account.advise(formatted("If labels count from 1, subtract 1; otherwise the last layer "
                                 "needs {} outputs or more.",
                                 *index + 1),
                       keras ? "y = y - y.min()" : "labels = labels - labels.min()");
    account.advise("Check all labels once before training, so that the message can name the file.",
                   "assert 0 <= int(labels.min()) and int(labels.max()) < num_classes");
}

void tell(const ShapeMismatch& facts, const Autopsy& death, Account& account) {
    const std::string line = facts.said.line();
    account = raised(death, facts.said,
                     formatted("{} combined {} that do not match: {}", who(death),
                               about_dtype(line) ? "number types" : "shapes", shortened(line)));
    account.advise(fix_for(facts.said));
}

void tell(const BadInput& facts, const Autopsy& death, Account& account) {
    const ExceptionSaid& said = facts.said;
    const std::string file = file_in(said);
    account = raised(
        death, said,
        file.empty() ? formatted("{} could not read one of its input files ({}): it is damaged, "
                                 "cut short or of another format.",
                                 who(death), said.type)
                     : formatted("{} could not read {}: it is damaged, cut short or not what its "
                                 "name says.",
                                 who(death), file));
    if (!file.empty())
        account.advise(formatted("Look at {} and fetch it again, or leave it out.", file),
                       formatted("ls -l {0}; file {0}; head -c 64 {0} | xxd", file));
    else
        account.advise("Make the message name the file: wrap the line that reads it.",
                       "except Exception as e: raise RuntimeError(f\"cannot read {path}\") from e");
    if (said.type.ends_with("UnicodeDecodeError"))
        account.advise("If the file is whole, say how its text is encoded.",
                       "open(path, encoding=\"latin-1\")   # or errors=\"replace\"");
    else if (said.type.ends_with("ParserError"))
        account.advise("If a few bad lines may be lost, skip them and count them.",
                       "pandas.read_csv(path, on_bad_lines=\"warn\")");
}

void tell(const CheckpointCorrupt& facts, const Autopsy& death, Account& account) {
    const std::string file = file_in(facts.said);
    account = raised(death, facts.said,
                     formatted("{} could not load {}: it is cut short or damaged.", who(death),
                               file.empty() ? std::string("a checkpoint") : file));
    account.advise(
        "Go back to the checkpoint before it. The verdict of the run that wrote this one may say "
        "what cut it short.",
        "holdfast runs; holdfast why RUN");
    account.advise(
        "Write to a temporary name and rename it when everything is on disk, so that a "
        "half-written file never has the final name.",
        uses(death, "keras") ? "model.save(\"tmp.keras\"); os.replace(\"tmp.keras\", path)"
                             : "torch.save(state, path + \".tmp\"); os.replace(path + \".tmp\", "
                               "path)");
}

void tell(const LoaderTimeout& facts, const Autopsy& death, Account& account) {
    const std::optional<long> limit = number_after(facts.said.message, "timed out after");
    account = raised(death, facts.said,
                     formatted("{} waited for data until the loader's time limit{}.", who(death),
                               limit ? formatted(" of {} s", *limit) : ""));
    account.advise("Measure what one sample costs, without workers.",
                   "DataLoader(..., num_workers=0)");
    account.advise(
        "If some samples really take that long, raise the time limit, or let more workers "
        "prefetch.",
        "DataLoader(..., timeout=600, num_workers=8, prefetch_factor=4)");
}

void tell(const Telling& facts, const Autopsy& death, Account& account) {
    account =
        account_of(death, formatted("{} stopped with: {}", who(death), shortened(facts.said.line)));
    account.saw(facts.said.source, shortened(facts.said.line));
    account.advise(std::string(facts.fix), std::string(facts.code));
}

}  // namespace holdfast::facts
