// Tells of device memory that the host touches, and of addresses that a kernel must not touch; the latter ends the
// launch, not the process.
#pragma once

namespace emulated {

void install_fault_handler();
// For each thread of the system that runs kernels.
void give_signal_stack();

}  // namespace emulated
