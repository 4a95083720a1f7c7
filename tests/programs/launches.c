// Stands in for torch's library of kernels (-DTORCH) and for the CUDA runtime, on a machine without
// them: tests how launches are seen, and which line is named.
#include <stddef.h>

typedef struct {
    unsigned x, y, z;
} dim3;

#ifdef TORCH
int cudaLaunchKernel(const void*, dim3, dim3, void**, size_t, void*);
int cudaStreamSynchronize(void*);

static const char* loss = "_ZN2at6native38nll_loss_forward_reduce_cuda_kernel_2dIffflEEvPT_";
static const char* fill = "_ZN2at6native4fillEv";

static int launch(const void* kernel) {
    const dim3 one = {1, 2, 3}, two = {4, 5, 6};
    return cudaLaunchKernel(kernel, one, two, 0, 7, 0);
}
int launch_loss(void) { return launch(&loss); }
int launch_fill(void) { return launch(&fill); }
int wait_for_all(void) { return cudaStreamSynchronize(0); }
#else
static int error;

void fail(void) { error = 710; }
int cudaLaunchKernel(const void* kernel, dim3 grid, dim3 block, void** arguments, size_t shared,
                     void* stream) {
    if (!kernel || arguments || stream || shared != 7) return 1;
    if (grid.x != 1 || grid.y != 2 || grid.z != 3) return 1;
    if (block.x != 4 || block.y != 5 || block.z != 6) return 1;
    return error;
}
int cudaStreamSynchronize(void* stream) { return stream ? 1 : error; }
int cudaPeekAtLastError(void) { return error; }
int cudaGetLastError(void) { return error; }
int cudaFuncGetName(const char** name, const void* kernel) {
    *name = *(const char* const*)kernel;
    return error;
}
#endif
