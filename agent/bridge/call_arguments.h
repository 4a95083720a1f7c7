// Parses the arguments of our built-in functions by hand.
#pragma once

#include "agent/base/text.h"
#include "agent/bridge/api.h"
#include "agent/bridge/call.h"

namespace holdfast::agent {

class CallArguments {
public:
    CallArguments(PyObject* positional, PyObject* keywords)
        : positional_(positional), keywords_(keywords), count_(py.PyTuple_Size(positional)) {}

    // Borrowed; null where it was not given or is None.
    PyObject* at(PySize index, const char* name) const {
        PyObject* value = nullptr;
        if (index < count_)
            value = py.PyTuple_GetItem(positional_, index);
        else if (keywords_ != nullptr)
            value = py.PyDict_GetItemString(keywords_, name);
        return value == py.none ? nullptr : value;
    }

    std::int64_t integer(PySize index, const char* name, std::int64_t otherwise) const {
        PyObject* value = at(index, name);
        // Asking a float for an integer may warn.
        if (value == nullptr || py.PyObject_IsInstance(value, py.integer_type) != 1)
            return otherwise;
        const long long number = py.PyLong_AsLongLong(value);
        if (number != -1 || py.PyErr_Occurred() == nullptr) return number;
        py.PyErr_Clear();
        return otherwise;
    }

private:
    PyObject* positional_;
    PyObject* keywords_;
    PySize count_;
};

// The characters of a str, for as long as both this and the str live.
class Characters {
public:
    Characters() = default;
    explicit Characters(PyObject* text) { read(text); }

    void read(PyObject* text) {
        if (text == nullptr) return;
        PySize size = 0;
        const char* data = py.PyUnicode_AsUTF8AndSize(text, &size);
        if (data == nullptr) {  // lone surrogates (a file name that is not UTF-8), or no str at all
            py.PyErr_Clear();
            *encoded_.into() = py.PyUnicode_AsEncodedString(text, "utf-8", "replace");
            char* bytes = nullptr;
            if (encoded_ && py.PyBytes_AsStringAndSize(encoded_.get(), &bytes, &size) == 0)
                data = bytes;
            else
                py.PyErr_Clear();
        }
        if (data != nullptr) text_ = {data, static_cast<std::size_t>(size)};
    }
    Text get() const { return text_; }

private:
    Owned encoded_;
    Text text_;
};

}  // namespace holdfast::agent
