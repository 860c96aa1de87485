// SPDX-License-Identifier: Apache-2.0
#include "bench/device_step.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <fstream>

#include "bench/trained_step.h"
#include "core/error.h"
#include "core/json.h"
#include "cuda/open_device.h"
#include "tests/emulated/emulated_gpu.h"

namespace verbund {
namespace {

struct Request {
  DeviceRequest device;
  std::vector<std::string> models;
  // 0: as the model has it
  int64_t sentences = 0, layers = 0, vocabulary = 0;
  int steps = -1;  // after the first, which compiles and allocates; 0: only that one. -1: few where a step takes long
  std::string counters;
};

template <typename Choice, size_t kCount>
Choice choice_of(const std::string& flag, const std::string& name, const char* const (&names)[kCount]) {
  const auto* const found = std::find(std::begin(names), std::end(names), name);
  if (found == std::end(names)) fail_usage("{} {}: use one of {}", flag, name, fmt::join(names, ", "));
  return static_cast<Choice>(found - std::begin(names));
}

Request parse(const std::vector<std::string>& arguments) {
  Request request;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const std::string& flag = arguments[i];
    if (!flag.starts_with("--")) {
      request.models.push_back(flag);
      continue;
    }
    if (i + 1 == arguments.size()) fail_usage("{} needs a value", flag);
    const std::string& value = arguments[++i];
    if (flag == "--device") {
      request.device.choice = choice_of<DeviceChoice>(flag, value, kDeviceNames);
    } else if (flag == "--precision") {
      request.device.precision = choice_of<Precision>(flag, value, kPrecisionNames);
    } else if (flag == "--sentences") {
      request.sentences = std::stoll(value);
    } else if (flag == "--layers") {
      request.layers = std::stoll(value);
    } else if (flag == "--vocabulary") {
      request.vocabulary = std::stoll(value);
    } else if (flag == "--steps") {
      request.steps = std::stoi(value);
    } else if (flag == "--counters") {
      request.counters = value;
    } else {
      fail_usage("there is no flag {}", flag);
    }
  }
  if (request.models.empty()) request.models = {"tiny", "small", "base"};
  return request;
}

// If it is the emulated GPU that was loaded: its functions.
emulated::ControlFunctions find_emulator() {
  emulated::ControlFunctions functions;
  void* library = dlopen("libemulated_gpu.so", RTLD_NOW | RTLD_NOLOAD);
  if (library == nullptr) return functions;
#define FIND(result, name, parameters) \
  functions.name = reinterpret_cast<decltype(functions.name)>(dlsym(library, #name));
  EMULATED_GPU_FUNCTIONS(FIND)
#undef FIND
  return functions;
}

void write_counters(const std::string& path, const Shape& shape, const Bench& bench, const Device& device,
                    const Json& counters) {
  std::ofstream file(path);
  file << Json{{"model", shape.name},
               {"precision", kPrecisionNames[static_cast<size_t>(device.precision())]},
               {"d_model", shape.model.d_model},
               {"d_ff", shape.model.d_ff},
               {"encoder_layers", shape.model.encoder_layers},
               {"decoder_layers", shape.model.decoder_layers},
               {"vocabulary", shape.vocabularies.target},
               {"weights", bench.weights()},
               {"sentences", bench.batch().sentences()},
               {"source_tokens", bench.batch().source_tokens()},
               {"target_tokens", bench.batch().target_tokens()},
               {"checked", counters["checked"]},
               {"work", counters["work"]}}
              .dump(1)
       << "\n";
  if (!file.flush()) fail("{} cannot be written", path);
}

Shape requested_shape(const Request& request, const std::string& name) {
  Shape shape = shape_named(name);
  if (request.sentences > 0) {
    shape.sentences = request.sentences;
    shape.pattern = 4;
  }
  if (request.layers > 0) shape.model.encoder_layers = shape.model.decoder_layers = request.layers;
  if (request.vocabulary > 0) shape.vocabularies = {request.vocabulary, request.vocabulary};
  return shape;
}

bool bench_model(const Request& request, const std::string& name, Device& device) {
  const Shape shape = requested_shape(request, name);
  const emulated::ControlFunctions emulator = device.is_host() ? emulated::ControlFunctions() : find_emulator();
  const bool counts = emulator.emulated_gpu_counters != nullptr;
  const int steps = request.steps >= 0 ? request.steps : counts ? 1 : device.is_host() ? shape.rounds : 50;

  Bench bench(shape, device.is_host() ? omp_get_max_threads() : 1, device);
  std::vector<double> seconds;
  for (int i = 0; i <= steps; ++i) {
    if (counts) emulator.emulated_gpu_reset();
    seconds.push_back(bench.step());
  }
  if (steps > 0) seconds.erase(seconds.begin());
  const bool good = steps > 0 ? bench.trains() : std::isfinite(bench.losses().front());
  std::sort(seconds.begin(), seconds.end());
  const double median = seconds[seconds.size() / 2];
  fmt::print("{} in {}, {} target tokens: step {:.4f} s, {:.0f} tokens/s; loss {:.3f} -> {:.3f}{}\n", shape.name,
             kPrecisionNames[static_cast<size_t>(device.precision())], bench.tokens(), median, bench.tokens() / median,
             bench.losses().front(), bench.losses().back(), good ? "" : "  DOES NOT TRAIN");
  if (counts) {
    const auto counters = parse_json(emulator.emulated_gpu_counters());
    int64_t launches = 0, bytes = 0, operations = 0;
    for (const auto& work : counters["work"]) {
      launches += work["launches"].get<int64_t>();
      bytes += work["distinct_read"].get<int64_t>() + work["distinct_written"].get<int64_t>();
      operations += work["operations"].get<int64_t>();
    }
    fmt::print("  {} launches, {:.3f} GB moved{}, {:.4f} TFLOP a step\n", launches, static_cast<double>(bytes) / 1e9,
               emulator.emulated_gpu_checked() != 0 ? "" : " by copies and products (emulated-checked counts kernels)",
               static_cast<double>(operations) / 1e12);
    if (!request.counters.empty()) write_counters(request.counters, shape, bench, device, counters);
  } else if (!request.counters.empty()) {
    fail_usage("--counters: only the emulated GPU counts");
  }
  std::fflush(stdout);
  return good;
}

}  // namespace

bool bench_on_device(const std::vector<std::string>& arguments) {
  const Request request = parse(arguments);
  const std::unique_ptr<Device> device = open_device(request.device);
  fmt::print("{}\n", device->facts().description);
  bool good = true;
  for (const std::string& model : request.models) good = bench_model(request, model, *device) && good;
  return good;
}

}  // namespace verbund
