"""Python's own os.abort."""
# zoo end: native-abort

import os


def check():
    os.abort()  # guilty


check()
