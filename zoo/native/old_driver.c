// A driver library of an old version, as far as a CUDA runtime looks before it gives up.
#include <string.h>

int cuInit(unsigned flags) { return 0; }
int cuDriverGetVersion(int *version) {
    *version = 11040;
    return 0;
}
int cuDeviceGetCount(int *count) {
    *count = 1;
    return 0;
}
int cuGetProcAddress_v2(const char *name, void **function, int version, unsigned long flags,
                        int *status) {
    *function = 0;
    if (!strcmp(name, "cuDriverGetVersion")) *function = cuDriverGetVersion;
    if (!strcmp(name, "cuInit")) *function = cuInit;
    if (!strcmp(name, "cuDeviceGetCount")) *function = cuDeviceGetCount;
    if (status) *status = *function ? 0 : 1;
    return *function ? 0 : 500;
}
int cuGetProcAddress(const char *name, void **function, int version, unsigned long flags) {
    return cuGetProcAddress_v2(name, function, version, flags, 0);
}
