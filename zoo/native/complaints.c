// The last words of libraries that give up over their surroundings, and the way each of them ends.
// The words are the libraries' own; what they complain of (a library, a display) is really missing.
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

void load_cudnn(void) {
    if (dlopen("libcudnn_ops_infer.so.8", RTLD_NOW)) return;
    fprintf(stderr, "Could not load library libcudnn_ops_infer.so.8. Error: %s\n", dlerror());
    abort();
}

void load_mkl(void) {
    if (dlopen("libmkl_avx512.so.2", RTLD_NOW)) return;
    fprintf(stderr, "Intel MKL FATAL ERROR: Cannot load libmkl_avx512.so.2 or libmkl_def.so.2.\n");
    exit(2);
}

void open_window(void) {
    if (getenv("DISPLAY")) return;
    fprintf(stderr, "qt.qpa.xcb: could not connect to display \n"
                    "qt.qpa.plugin: Could not load the Qt platform plugin \"xcb\" in "
                    "\"\" even though it was found.\n"
                    "This application failed to start because no Qt platform plugin could be "
                    "initialized. Reinstalling the application may fix this problem.\n\n"
                    "Available platform plugins are: xcb.\n\n");
    abort();
}

void check_protobuf(void) {
    fprintf(stderr, "[libprotobuf FATAL google/protobuf/stubs/common.cc:83] This program was "
                    "compiled against version 3.9.2 of the Protocol Buffer runtime library, which "
                    "is not compatible with the installed version (3.21.9).\n"
                    "terminate called after throwing an instance of "
                    "'google::protobuf::FatalException'\n");
    abort();
}

void check_cudnn_version(void) {
    fprintf(stderr, "E tensorflow/stream_executor/cuda/cuda_dnn.cc:389] Loaded runtime CuDNN "
                    "library: 8.0.5 but source was compiled with: 8.6.0.  CuDNN library needs to "
                    "have matching major version and equal or higher minor version.\n");
    abort();
}
