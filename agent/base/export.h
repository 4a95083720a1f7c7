// Everything in the agent is hidden but the functions it stands in front of.
#pragma once

#define HOLDFAST_EXPORT extern "C" __attribute__((visibility("default")))
