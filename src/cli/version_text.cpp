// SPDX-License-Identifier: Apache-2.0
#include "cli/command.h"

#include <fmt/format.h>

#include "collectives/mpi_transport.h"
#include "kernels/kernels.h"
#include "score/tokenizer.h"
#include "version.h"

namespace verbund {

std::string program_version() { return fmt::format("verbund {} (commit {})", VERBUND_VERSION, VERBUND_COMMIT); }

std::string version_text() {
  return fmt::format(
      "{}\n"
      "linked with: {}\n"
      "kernels: {}\n"
      "on this machine: {}, Unicode {}, kernels {}\n",
      program_version(), VERBUND_PARTS, VERBUND_KERNEL_SETS, mpi_library(), unicode_version(), choose_kernels().name);
}

}  // namespace verbund
