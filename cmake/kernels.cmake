# SPDX-License-Identifier: Apache-2.0
# The kernels are compiled once per instruction set; the best is chosen when the program runs.
function(verbund_kernel_set name)
  add_library(verbund_kernels_${name} OBJECT src/kernels/simd/table.cpp)
  target_link_libraries(verbund_kernels_${name} PRIVATE verbund_options OpenMP::OpenMP_CXX)
  target_compile_definitions(verbund_kernels_${name} PRIVATE VERBUND_SIMD_NAME=${name})
  target_compile_options(verbund_kernels_${name} PRIVATE -O3 -fno-math-errno -Wno-psabi ${ARGN})
  target_sources(verbund_kernels PRIVATE $<TARGET_OBJECTS:verbund_kernels_${name}>)
  set_property(GLOBAL APPEND PROPERTY verbund_kernel_sets ${name})  # for --version
endfunction()

verbund_kernel_set(baseline)
verbund_kernel_set(avx2 -mavx2 -mfma)
verbund_kernel_set(avx512 -mavx512f -mavx512bw -mavx512vl -mavx512dq -mfma -mprefer-vector-width=512)
# Products in bfloat16 need one more extension and nothing else.
add_library(verbund_kernels_bf16 OBJECT src/kernels/simd/gemm_bf16.cpp)
target_link_libraries(verbund_kernels_bf16 PRIVATE verbund_options OpenMP::OpenMP_CXX)
target_compile_definitions(verbund_kernels_bf16 PRIVATE VERBUND_SIMD_NAME=avx512bf16)
target_compile_options(verbund_kernels_bf16 PRIVATE -O3 -fno-math-errno -Wno-psabi -mavx512f -mavx512bw -mavx512vl
                       -mavx512dq -mavx512bf16 -mfma -mprefer-vector-width=512)
target_sources(verbund_kernels PRIVATE $<TARGET_OBJECTS:verbund_kernels_bf16>)
set_property(GLOBAL APPEND PROPERTY verbund_kernel_sets avx512bf16)
