// SPDX-License-Identifier: Apache-2.0
// These kernels are for the emulated GPU only.
#pragma once

#include "emulated_language.h"

#define KERNEL(name) BOUNDED_KERNEL(1024, name)
#define KERNEL_OF(threads, name) BOUNDED_KERNEL(threads, name)
