// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "emulated/counters.h"
#include "emulated/device_work.h"
#include "emulated/emulated_gpu.h"
#include "emulated/kernel.h"
#include "emulated/messages.h"
#include "emulated/race_checker.h"
#include "emulated/settings.h"

namespace emulated {

#define DECLARE(result, name, parameters) EMULATED_EXPORT result name parameters;
EMULATED_GPU_FUNCTIONS(DECLARE)
#undef DECLARE

namespace {

const char* keep(std::string text) {
  static thread_local std::string kept;
  kept = std::move(text);
  return kept.c_str();
}

}  // namespace

int emulated_gpu_set_order(const char* order) { return set_order(order) ? 1 : 0; }
int emulated_gpu_checked() { return kChecked ? 1 : 0; }
unsigned long long emulated_gpu_races() { return RaceChecker::races(); }
const char* emulated_gpu_take_messages() { return keep(take_messages()); }
const char* emulated_gpu_counters() { return keep(counters_as_json()); }
void emulated_gpu_reset() {
  reset_counters();
  RaceChecker::reset();
  take_messages();
}

}  // namespace emulated
