// Something to compile, so that headers.h is compiled before it.
#include "headers.h"
