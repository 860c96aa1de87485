// SPDX-License-Identifier: Apache-2.0
// VERBUND_PORTABLE_LOOP before a function that loops over flat buffers compiles it once per instruction set, and the
// loader picks the best version that the processor has. The bits do not depend on that choice: no multiplication is
// fused with an addition (-ffp-contract=off), square root and division are exact everywhere. So ranks on different
// machines that apply the same gradient keep the same weights.
#pragma once

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_THREAD__)
#ifndef __NO_MATH_ERRNO__
#error "compile this file with -fno-math-errno, or sqrt is not vectorised, and with -ffp-contract=off"
#endif
#define VERBUND_PORTABLE_LOOP __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define VERBUND_PORTABLE_LOOP
#endif
