// The C interface that Python calls by ctypes. Texts are UTF-8; a returned text is valid until the
// next call with the same loader.
#pragma once

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define HOLDFAST_LOADER_API __attribute__((visibility("default")))
#endif

extern "C" {

typedef struct HoldfastLoader HoldfastLoader;

// Of this interface: Python opens no library of another one.
enum HoldfastInterface { HOLDFAST_LOADER_VERSION = 2 };

enum HoldfastNext {
    HOLDFAST_READY = 0,
    HOLDFAST_END = 1,
    HOLDFAST_HELD = 2,
    HOLDFAST_FAILED = 3,
    HOLDFAST_WAITING = 4,
    HOLDFAST_CLOSED = 5,
};

typedef struct HoldfastPass {
    uint64_t seed, epoch, position, rank, ranks;
    uint64_t batch;  // samples of a step; 0: as many as a slot holds
    uint32_t shuffled, whole_batches;
} HoldfastPass;

typedef struct HoldfastBatch {
    uint64_t slot, rows, position;
    void* data;
    const uint64_t* samples;
} HoldfastBatch;

// A column of a block in the program's memory, and where its rows go in a slot.
typedef struct HoldfastColumn {
    const void* from;
    uint64_t stride, row_bytes, offset;
} HoldfastColumn;

// Which row of a block comes when.
typedef struct HoldfastBlock {
    uint64_t count, seed, epoch, number;
    uint32_t shuffled;
} HoldfastBlock;

// Counted up when a call changes.
HOLDFAST_LOADER_API int holdfast_loader_version(void);
HOLDFAST_LOADER_API int holdfast_loader_has_codecs(void);
// Null and a text in `error` if it cannot be opened. `inside` may be null.
HOLDFAST_LOADER_API HoldfastLoader* holdfast_loader_open(const char* options,
                                                         HoldfastLoader* inside, char* error,
                                                         size_t error_size);
HOLDFAST_LOADER_API int holdfast_loader_labels(HoldfastLoader*, const char* dtype, uint64_t bytes,
                                               const void* rows, char* error, size_t error_size);
HOLDFAST_LOADER_API int holdfast_loader_reserve(HoldfastLoader*, uint64_t bytes);
HOLDFAST_LOADER_API int holdfast_loader_prepare(HoldfastLoader*, const char* options, char* error,
                                                size_t error_size);
// Returns the length of the text; writes as much as fits.
HOLDFAST_LOADER_API size_t holdfast_loader_describe(HoldfastLoader*, char* out, size_t size);
HOLDFAST_LOADER_API size_t holdfast_loader_stats(HoldfastLoader*, char* out, size_t size);
HOLDFAST_LOADER_API size_t holdfast_loader_name(HoldfastLoader*, uint64_t sample, char* out,
                                                size_t size);

HOLDFAST_LOADER_API void holdfast_loader_start(HoldfastLoader*, const HoldfastPass*);
HOLDFAST_LOADER_API int holdfast_loader_next(HoldfastLoader*, uint32_t patience_ms, HoldfastBatch*,
                                             char* error, size_t error_size);
HOLDFAST_LOADER_API int holdfast_loader_take(HoldfastLoader*, HoldfastBatch*);
HOLDFAST_LOADER_API void holdfast_loader_give_back(HoldfastLoader*, uint64_t slot);
// This rank's samples of the step at `position`: how many, and where the next step begins.
HOLDFAST_LOADER_API uint64_t holdfast_loader_share(HoldfastLoader*, const HoldfastPass*,
                                                   uint64_t position, uint64_t* samples,
                                                   uint64_t* next);
// The same if the program has its own order: how many, the first, and the next step's.
HOLDFAST_LOADER_API uint64_t holdfast_loader_span(HoldfastLoader*, const HoldfastPass*,
                                                  uint64_t position, uint64_t* first,
                                                  uint64_t* next);
// Copies rows of a block, in its order from `first` on, to a slot's rows from `row` on.
HOLDFAST_LOADER_API void holdfast_loader_gather(const HoldfastColumn* columns, uint64_t count,
                                                const HoldfastBlock* block, uint64_t first,
                                                uint64_t rows, void* slot, uint64_t row);
HOLDFAST_LOADER_API uint64_t holdfast_loader_steps(HoldfastLoader*, const HoldfastPass*);
// Ends the workers. The memory goes when the last slot is given back.
HOLDFAST_LOADER_API void holdfast_loader_close(HoldfastLoader*);
}
