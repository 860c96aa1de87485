// Opens the device that a configuration or a flag asks for.
#pragma once

#include <memory>
#include <optional>

#include "device/device.h"

namespace verbund {

struct DeviceWish {
  DeviceChoice choice = DeviceChoice::kAuto;
  Precision precision = Precision::kFp32;
  bool is_default = false;  // the precision is nobody's wish: fp32 where the device does not have it
  int number = 0;           // of the GPU on its host: one for each worker
};

// Refuses what is not here, saying what is missing. `auto` takes a GPU if there is one that can be used.
std::unique_ptr<Device> open_device(const DeviceWish& wish);

// Among the processes that mpirun or Slurm has started on this host; 0 if none has.
int started_local_rank();

}  // namespace verbund
