// HF604 and HF605: a file of the data set or a checkpoint that its reader cannot make sense of.
#include <array>

#include "diagnose/facts/exceptions.h"
#include "diagnose/rules/rules.h"
#include "diagnose/text/exception_text.h"

namespace holdfast::rules {
namespace {

using enum Confidence;

// A file that does not exist is an ordinary exception: only content counts here.
constexpr std::array inputs{
    ExceptionWords{"UnidentifiedImageError", "", "", "", certain},
    ExceptionWords{"OSError", "image file is truncated", "", "", certain},
    ExceptionWords{"OSError", "broken data stream when reading image file", "", "", certain},
    ExceptionWords{"OSError", "cannot identify image file", "", "", certain},
    ExceptionWords{"SyntaxError", "broken PNG file", "", "", certain},
    ExceptionWords{"SyntaxError", "not a PNG file", "", "", certain},
    ExceptionWords{"JSONDecodeError", "", "", "load", certain},
    ExceptionWords{"ParserError", "Error tokenizing data", "", "", certain},
    ExceptionWords{"EmptyDataError", "", "", "", certain},
    ExceptionWords{"BadZipFile", "", "", "", certain},
    ExceptionWords{"BadGzipFile", "", "", "", certain},
    ExceptionWords{"EOFError", "Compressed file ended before the end-of-stream marker", "", "",
                   certain},
    ExceptionWords{"ReadError", "", "", "TarFile.open", certain},
    ExceptionWords{"tarfile.ReadError", "", "", "", certain},
    ExceptionWords{"UnpicklingError", "Failed to interpret file", "as a pickle", "", certain},
    ExceptionWords{"DatabaseError", "file is not a database", "", "", certain},
    ExceptionWords{"OSError", "is not a valid JSON file", "", "", certain},
    ExceptionWords{"InvalidArgumentError", "is required but could not be found", "ParseExample", "",
                   likely},
    ExceptionWords{"DatabaseError", "database disk image is malformed", "", "", certain},
    ExceptionWords{"ArrowInvalid", "Parquet magic bytes not found", "", "", certain},
    ExceptionWords{"ArrowInvalid", "Parquet file size is", "", "", certain},
    ExceptionWords{"ArrowInvalid", "Could not open Parquet input source", "", "", certain},
    ExceptionWords{"ArrowInvalid", "Not an Arrow file", "", "", certain},
    ExceptionWords{"ArrowInvalid", "CSV parse error", "", "", certain},
    ExceptionWords{"ArrowInvalid", "JSON parse error", "", "", certain},
    ExceptionWords{"OSError", "Couldn't deserialize thrift", "", "", certain},
    ExceptionWords{"OSError", "Corrupt snappy compressed data", "", "", certain},
    ExceptionWords{"ValueError", "Failed to read all data for array", "", "", certain},
    ExceptionWords{"ValueError", "cannot reshape array of size", "", "read_array", certain},
    ExceptionWords{"ValueError", "EOF: reading array", "", "", certain},
    ExceptionWords{"ValueError", "mmap length is greater than file size", "", "", certain},
    ExceptionWords{"ArrowInvalid", "Not a Feather V1 or Arrow IPC file", "", "", certain},
    ExceptionWords{"ArrowInvalid", "is not an Arrow file", "", "", certain},
    ExceptionWords{"UnpicklingError", "", "", "read_pickle", certain},
    ExceptionWords{"EOFError", "No data left in file", "", "", certain},
    ExceptionWords{"DataLossError", "", "", "", certain},
    ExceptionWords{"InvalidArgumentError", "Unknown image file format", "", "", certain},
    ExceptionWords{"InvalidArgumentError", "Invalid JPEG data", "", "", certain},
    ExceptionWords{"LibsndfileError", "", "", "", certain},
    // What these read may have come from anywhere: a file is the usual case, not the only one.
    ExceptionWords{"JSONDecodeError", "", "", "", likely},
    ExceptionWords{"UnicodeDecodeError", "codec can't decode", "", "", likely},
    ExceptionWords{"LZMAError", "", "", "", likely},
    ExceptionWords{"zlib.error", "Error -", "", "", likely},
    ExceptionWords{"ElementTree.ParseError", "", "", "", likely},
    ExceptionWords{"_csv.Error", "", "", "", likely},
    ExceptionWords{"csv.Error", "", "", "", likely},
    ExceptionWords{"DatasetGenerationError", "", "", "", likely},
    ExceptionWords{"XMLSyntaxError", "", "", "", likely},
    ExceptionWords{"TOMLDecodeError", "", "", "", likely},
    ExceptionWords{"yaml.scanner.ScannerError", "", "", "", likely},
    ExceptionWords{"yaml.parser.ParserError", "", "", "", likely},
    ExceptionWords{"wave.Error", "", "", "", likely},
    ExceptionWords{"InvalidArgumentError", "Could not parse example", "", "", likely},
    ExceptionWords{"OSError", "read data (", "", "", likely},  // h5py
    ExceptionWords{"OSError", "truncated file", "", "", likely},
    ExceptionWords{"OSError", "file signature not found", "", "", likely},
    ExceptionWords{"cv2.error", "!_src.empty()", "", "", likely},
    ExceptionWords{"ValueError", "could not convert string", "", "loadtxt", likely},
    ExceptionWords{"ValueError", "Cannot load file containing pickled data", "", "load", likely},
    ExceptionWords{"ValueError", "This file contains pickled (object) data", "", "load", likely},
    ExceptionWords{"ValueError", "Some errors were detected !", "columns instead of", "", likely},
    ExceptionWords{"ValueError", "Expected object or value", "", "read_json", likely},
    ExceptionWords{"ValueError", "Unexpected character found when decoding", "", "read_json",
                   likely},
    ExceptionWords{"ValueError", "Trailing data", "", "read_json", likely},
};

constexpr std::array checkpoints{
    ExceptionWords{"", "PytorchStreamReader failed", "", "", certain},
    ExceptionWords{"", "failed finding central directory", "", "", certain},
    ExceptionWords{"RuntimeError", "unexpected EOF, expected", "more bytes", "", certain},
    ExceptionWords{"RuntimeError", "storage has wrong byte size", "", "", certain},
    ExceptionWords{"RuntimeError", "Invalid magic number; corrupt file?", "", "", certain},
    ExceptionWords{"RuntimeError", "invalid header or archive is corrupted", "", "", certain},
    ExceptionWords{"OSError", "Unable to load weights from pytorch checkpoint file", "", "",
                   certain},
    ExceptionWords{"SafetensorError", "", "", "", certain},
    ExceptionWords{"UnpicklingError", "pickle data was truncated", "", "", certain},
    ExceptionWords{"UnpicklingError", "invalid load key", "", "", certain},
    ExceptionWords{"EOFError", "", "", "_legacy_load", certain},
    ExceptionWords{"EOFError", "Ran out of input", "", "", certain},
    ExceptionWords{"OSError", "truncated file: eof", "", "load_model", certain},
    ExceptionWords{"OSError", "", "", "load_weights", likely},
    ExceptionWords{"OSError", "file signature not found", "", "load_model", certain},
    ExceptionWords{"BadZipFile", "", "", "load_model", certain},
    ExceptionWords{"BadZipFile", "", "", "load_weights", certain},
    ExceptionWords{"DataLossError", "Unable to open table file", "", "", certain},
    // Keras takes its own frames out of the traceback, but for the one that does that.
    ExceptionWords{"OSError", "truncated file: eof", "", "error_handler", likely},
    ExceptionWords{"OSError", "file signature not found", "", "error_handler", likely},
    // Keras says the same of a file that is not there.
    ExceptionWords{"ValueError", "accessible `.keras` zip file", "", "", likely},
    ExceptionWords{"UnpicklingError", "", "", "_legacy_load", likely},
    ExceptionWords{"UnpicklingError", "", "", "", likely},
};

// torch's own refusal to run code from a file is no damage: it names what it would have had to run.
// Of a damaged file it says that some byte is no instruction.
bool only_refused(const ExceptionSaid& said) {
    return said.message.find("Weights only load failed") != std::string::npos &&
           said.message.find("invalid load key") == std::string::npos &&
           said.message.find("Unsupported operand") == std::string::npos;
}

// An array or a table, not a model.
bool of_data(const Autopsy& death, const ExceptionSaid& said) {
    static constexpr std::array tables{ExceptionWords{"", "", "", "read_pickle", certain}};
    return said.message.find("Failed to interpret file") != std::string::npos ||
           exception_said(death, tables);
}

// The system refused to read or write, and says why.
bool system_refused(const ExceptionSaid& said) {
    return said.message.find("(os error ") != std::string::npos;
}

}  // namespace

std::optional<Finding> bad_input(const Autopsy& death) {
    const std::optional<ExceptionSaid> said = exception_said(death, inputs);
    if (!said) return std::nullopt;
    if (const auto model = exception_said(death, checkpoints);
        model && !only_refused(*model) && !of_data(death, *model))
        return std::nullopt;
    return finding_about(death, "bad-input"_cause, sure_of(death, *said), facts::BadInput{*said});
}

std::optional<Finding> checkpoint_corrupt(const Autopsy& death) {
    const std::optional<ExceptionSaid> said = exception_said(death, checkpoints);
    if (!said || only_refused(*said) || system_refused(*said) || of_data(death, *said))
        return std::nullopt;
    return finding_about(death, "checkpoint-corrupt"_cause, sure_of(death, *said),
                         facts::CheckpointCorrupt{*said});
}

}  // namespace holdfast::rules
