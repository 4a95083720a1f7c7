"""Runs one file of CPython's own tests and writes how each test ended: outcomes.py NAME FILE

It runs on 3.8 and later, inside the very process that is watched.
"""

import importlib
import json
import sys
import unittest


class Outcomes(unittest.TestResult):
    def __init__(self):
        super().__init__()
        self.seen = {}

    def addSuccess(self, test):
        self.seen[test.id()] = "passed"

    def addFailure(self, test, error):
        self.seen[test.id()] = "failed"

    def addError(self, test, error):
        self.seen[test.id()] = "error"

    def addSkip(self, test, reason):
        self.seen[test.id()] = "skipped"

    def addExpectedFailure(self, test, error):
        self.seen[test.id()] = "failed as expected"

    def addUnexpectedSuccess(self, test):
        self.seen[test.id()] = "passed unexpectedly"

    def addSubTest(self, test, subtest, error):
        if error is not None:
            self.seen[test.id()] = "failed in a part"


def main():
    name, path = sys.argv[1:]
    sys.argv[1:] = []
    from test import support

    support.use_resources = []  # no network, no large files, no long computations
    support.verbose = 0
    result = Outcomes()
    load = unittest.defaultTestLoader

    def run_unittest(*wanted):
        for one in wanted:
            if isinstance(one, str):
                suite = load.loadTestsFromName(one)
            elif isinstance(one, unittest.TestSuite):
                suite = one
            else:
                suite = load.loadTestsFromTestCase(one)
            suite.run(result)

    support.run_unittest = run_unittest
    try:
        module = importlib.import_module(f"test.{name}")
        # Older files set up there what their tests need, such as signal handlers.
        if hasattr(module, "test_main"):
            module.test_main()
        else:
            load.loadTestsFromModule(module).run(result)
        result.seen["(file)"] = "ran"
    except unittest.SkipTest as skip:
        result.seen["(file)"] = f"skipped: {skip}"
    with open(path, "w") as stream:  # noqa: PTH123 - pathlib may be what is being tested
        json.dump(result.seen, stream)


if __name__ == "__main__":
    main()
