// A module that finds, as those built for another NumPy do, that the ABI is not its own.
extern void PyErr_SetString(void *, const char *);
extern void *PyExc_RuntimeError;

void *PyInit_numpy_abi(void) {
    PyErr_SetString(PyExc_RuntimeError, "module compiled against ABI version 0x1000009 but this "
                                        "version of numpy is 0x2000000");
    return 0;
}
