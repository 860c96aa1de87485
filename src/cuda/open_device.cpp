#include "cuda/open_device.h"

#include <cstdlib>

#include "core/error.h"
#include "core/log.h"
#include "device/cpu_device.h"

namespace verbund {
namespace {

std::unique_ptr<Device> open_cpu(const DeviceWish& wish) {
  const char* kernels = std::getenv("VERBUND_SIMD");
  const Kernels& table = choose_kernels(kernels != nullptr ? kernels : "");
  Precision precision = wish.precision;
  if (const std::string trouble = CpuDevice::trouble_with(precision); wish.is_default && !trouble.empty()) {
    log("the model was trained in {}, but {}: this is computed in fp32",
        kPrecisionNames[static_cast<size_t>(precision)], trouble);
    precision = Precision::kFp32;
  }
  return std::make_unique<CpuDevice>(precision, table);
}

}  // namespace

std::unique_ptr<Device> open_device(const DeviceWish& wish) { return open_cpu(wish); }

int started_local_rank() {
  for (const char* name : {"OMPI_COMM_WORLD_LOCAL_RANK", "SLURM_LOCALID"}) {
    if (const char* value = std::getenv(name)) return std::atoi(value);
  }
  return 0;
}

}  // namespace verbund
