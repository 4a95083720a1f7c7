// The agent exports only the functions that it wraps; everything else is hidden.
#pragma once

#define HOLDFAST_EXPORT extern "C" __attribute__((visibility("default")))
