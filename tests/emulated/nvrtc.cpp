// SPDX-License-Identifier: Apache-2.0
// The emulated NVRTC. The kernels are compiled already; it checks that the given text is theirs, that every included
// file comes with it, and that NVRTC accepts the options.
#include "cuda/nvrtc_api.h"

#include <fmt/format.h>

#include <cstring>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "emulated/device_work.h"
#include "emulated/image.h"
#include "emulated/messages.h"

namespace verbund::cuda {

struct _nvrtcProgram {
  std::string source, name;
  std::map<std::string, std::string> headers;
  bool compiled = false, good = false;
  std::string log, image;
};

}  // namespace verbund::cuda

namespace emulated {

using namespace verbund::cuda;

#define DECLARE(result, name, parameters) EMULATED_EXPORT result name parameters;
VERBUND_CUDA_NVRTC_FUNCTIONS(DECLARE)
#undef DECLARE

namespace {

std::mutex mutex;

auto& programs() {
  static auto* result = new std::set<nvrtcProgram>;
  return *result;
}

// NVRTC 12.8, which is the last for sm_70.
constexpr int kArchitectures[] = {50, 52, 53, 60, 61, 62, 70, 72, 75, 80, 86, 87, 89, 90, 100, 101, 120};

std::string_view base_name(std::string_view name) {
  const size_t slash = name.rfind('/');
  return slash == std::string_view::npos ? name : name.substr(slash + 1);
}

void check_text(_nvrtcProgram& program, std::string_view name, std::string_view text) {
  for (const KernelSource& known : kernel_sources()) {
    if (known.name != base_name(name)) continue;
    if (known.text != text) {
      program.log +=
          fmt::format("{}: error: not the text that the emulated GPU was built from: build it again\n", name);
    }
    return;
  }
  program.log += fmt::format("{}: error: the emulated GPU was built without this file\n", name);
}

// What NVRTC would look for; the other compiler's branch of language.cuh is not for it.
void check_includes(_nvrtcProgram& program, std::string_view name, std::string_view text) {
  constexpr std::string_view kInclude = "#include \"";
  for (size_t at = text.find(kInclude); at != std::string_view::npos; at = text.find(kInclude, at)) {
    at += kInclude.size();
    const std::string file(text.substr(at, text.find('"', at) - at));
    if (file != "emulated_language.h" && !program.headers.contains(file)) {
      program.log += fmt::format("{}: catastrophic error: cannot open source file \"{}\"\n", name, file);
    }
  }
}

// Options that change nothing here, as far as they are ones that NVRTC knows.
bool harmless(std::string_view option) {
  for (const std::string_view known : {"--std=",
                                       "-std=",
                                       "--use_fast_math",
                                       "-use_fast_math",
                                       "--fmad=",
                                       "-fmad=",
                                       "--ftz=",
                                       "-ftz=",
                                       "--prec-div=",
                                       "-prec-div=",
                                       "--prec-sqrt=",
                                       "-prec-sqrt=",
                                       "-D",
                                       "--define-macro=",
                                       "--maxrregcount=",
                                       "-lineinfo",
                                       "--generate-line-info",
                                       "--device-debug",
                                       "-G",
                                       "--restrict",
                                       "-restrict",
                                       "--extra-device-vectorization",
                                       "-extra-device-vectorization",
                                       "-default-device",
                                       "--device-as-default-execution-space",
                                       "-w",
                                       "--disable-warnings",
                                       "--ptxas-options=",
                                       "-Xptxas",
                                       "-I",
                                       "--include-path="}) {
    if (option.starts_with(known)) return true;
  }
  return false;
}

nvrtcResult compile(_nvrtcProgram& program, const std::vector<std::string_view>& options) {
  Image image{0, 0};
  for (std::string_view option : options) {
    const auto value_of = [&](std::string_view prefix) {
      return option.starts_with(prefix) ? option.substr(prefix.size()) : std::string_view();
    };
    std::string_view architecture = value_of("--gpu-architecture=");
    if (architecture.empty()) architecture = value_of("-arch=");
    if (!architecture.empty()) {
      // compute_70 makes text for another compiler (PTX), sm_70 a cubin.
      if (!architecture.starts_with("sm_")) {
        program.log += fmt::format("nvrtc: error: {}: a cubin is made for sm_NN only\n", option);
        return NVRTC_ERROR_INVALID_OPTION;
      }
      image.architecture = std::atoi(std::string(architecture.substr(3)).c_str());
    } else if (const auto dtype = value_of("-DVERBUND_COMPUTE_DTYPE="); !dtype.empty()) {
      image.dtype = dtype[0] - '0';
    } else if (!harmless(option)) {
      program.log += fmt::format("nvrtc: error: invalid option {}\n", option);
      return NVRTC_ERROR_INVALID_OPTION;
    }
  }
  bool known = false;
  for (const int architecture : kArchitectures) known = known || architecture == image.architecture;
  if (!known || image.dtype < 0 || image.dtype > 2) {
    program.log +=
        fmt::format("nvrtc: error: invalid value for --gpu-architecture (sm_{}) or VERBUND_COMPUTE_DTYPE ({})\n",
                    image.architecture, image.dtype);
    return NVRTC_ERROR_INVALID_OPTION;
  }
  check_text(program, program.name, program.source);
  check_includes(program, program.name, program.source);
  for (const auto& [name, text] : program.headers) {
    check_text(program, name, text);
    check_includes(program, name, text);
  }
  if (!program.log.empty()) return NVRTC_ERROR_COMPILATION;
  program.image = write_image(image);
  program.good = true;
  return NVRTC_SUCCESS;
}

nvrtcResult check(nvrtcProgram program) {
  return programs().contains(program) ? NVRTC_SUCCESS : NVRTC_ERROR_INVALID_PROGRAM;
}

}  // namespace

nvrtcResult nvrtcVersion(int* major, int* minor) {
  if (major == nullptr || minor == nullptr) return NVRTC_ERROR_INVALID_INPUT;
  *major = 12;
  *minor = 8;
  return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetNumSupportedArchs(int* count) {
  if (count == nullptr) return NVRTC_ERROR_INVALID_INPUT;
  *count = static_cast<int>(std::size(kArchitectures));
  return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetSupportedArchs(int* architectures) {
  if (architectures == nullptr) return NVRTC_ERROR_INVALID_INPUT;
  std::memcpy(architectures, kArchitectures, sizeof kArchitectures);
  return NVRTC_SUCCESS;
}

nvrtcResult nvrtcCreateProgram(nvrtcProgram* program, const char* source, const char* name, int header_count,
                               const char* const* headers, const char* const* include_names) {
  if (program == nullptr || source == nullptr || header_count < 0 ||
      (header_count > 0 && (headers == nullptr || include_names == nullptr))) {
    return NVRTC_ERROR_INVALID_INPUT;
  }
  auto* made = new _nvrtcProgram{source, name == nullptr ? "default_program" : name, {}};
  for (int i = 0; i < header_count; ++i) made->headers[include_names[i]] = headers[i];
  const std::lock_guard lock(mutex);
  programs().insert(made);
  *program = made;
  return NVRTC_SUCCESS;
}

nvrtcResult nvrtcDestroyProgram(nvrtcProgram* program) {
  const std::lock_guard lock(mutex);
  if (program == nullptr || check(*program) != NVRTC_SUCCESS) return NVRTC_ERROR_INVALID_PROGRAM;
  programs().erase(*program);
  delete *program;
  *program = nullptr;
  return NVRTC_SUCCESS;
}

nvrtcResult nvrtcCompileProgram(nvrtcProgram program, int option_count, const char* const* options) {
  const std::lock_guard lock(mutex);
  if (const nvrtcResult error = check(program); error != NVRTC_SUCCESS) return error;
  if (option_count < 0 || (option_count > 0 && options == nullptr)) return NVRTC_ERROR_INVALID_INPUT;
  program->compiled = true;
  program->good = false;
  program->log.clear();
  return compile(*program, {options, options + option_count});
}

nvrtcResult nvrtcGetProgramLogSize(nvrtcProgram program, std::size_t* size) {
  const std::lock_guard lock(mutex);
  if (const nvrtcResult error = check(program); error != NVRTC_SUCCESS) return error;
  if (size == nullptr) return NVRTC_ERROR_INVALID_INPUT;
  *size = program->log.size() + 1;
  return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetProgramLog(nvrtcProgram program, char* log) {
  const std::lock_guard lock(mutex);
  if (const nvrtcResult error = check(program); error != NVRTC_SUCCESS) return error;
  if (log == nullptr) return NVRTC_ERROR_INVALID_INPUT;
  std::memcpy(log, program->log.c_str(), program->log.size() + 1);
  return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetCUBINSize(nvrtcProgram program, std::size_t* size) {
  const std::lock_guard lock(mutex);
  if (const nvrtcResult error = check(program); error != NVRTC_SUCCESS) return error;
  if (size == nullptr) return NVRTC_ERROR_INVALID_INPUT;
  *size = program->image.size();
  return program->good ? NVRTC_SUCCESS : NVRTC_ERROR_INVALID_PROGRAM;
}

nvrtcResult nvrtcGetCUBIN(nvrtcProgram program, char* cubin) {
  const std::lock_guard lock(mutex);
  if (const nvrtcResult error = check(program); error != NVRTC_SUCCESS) return error;
  if (cubin == nullptr) return NVRTC_ERROR_INVALID_INPUT;
  if (!program->good) return NVRTC_ERROR_INVALID_PROGRAM;
  std::memcpy(cubin, program->image.data(), program->image.size());
  return NVRTC_SUCCESS;
}

const char* nvrtcGetErrorString(nvrtcResult result) {
  switch (result) {
    case NVRTC_SUCCESS:
      return "NVRTC_SUCCESS";
    case NVRTC_ERROR_OUT_OF_MEMORY:
      return "NVRTC_ERROR_OUT_OF_MEMORY";
    case NVRTC_ERROR_PROGRAM_CREATION_FAILURE:
      return "NVRTC_ERROR_PROGRAM_CREATION_FAILURE";
    case NVRTC_ERROR_INVALID_INPUT:
      return "NVRTC_ERROR_INVALID_INPUT";
    case NVRTC_ERROR_INVALID_PROGRAM:
      return "NVRTC_ERROR_INVALID_PROGRAM";
    case NVRTC_ERROR_INVALID_OPTION:
      return "NVRTC_ERROR_INVALID_OPTION";
    case NVRTC_ERROR_COMPILATION:
      return "NVRTC_ERROR_COMPILATION";
    case NVRTC_ERROR_BUILTIN_OPERATION_FAILURE:
      return "NVRTC_ERROR_BUILTIN_OPERATION_FAILURE";
    default:
      return "NVRTC_ERROR unknown";
  }
}

}  // namespace emulated
