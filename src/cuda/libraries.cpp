// SPDX-License-Identifier: Apache-2.0
#include "cuda/libraries.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <link.h>

#include <algorithm>
#include <functional>

#include "core/error.h"

namespace verbund::cuda {
namespace {

namespace fs = std::filesystem;

// Library is a shared library that is loaded while the program runs. It stays loaded until the process ends: NVIDIA's
// libraries start threads and have exit handlers of their own, so that unloading them is not safe.
class Library {
 public:
  // A path, or a name alone, which the dynamic loader searches as usual (LD_LIBRARY_PATH, ldconfig's folders). Throws
  // Error with the loader's message.
  explicit Library(const std::filesystem::path& path);

  const std::filesystem::path& path() const { return path_; }  // of the file that was loaded
  void* find(const char* symbol) const;                        // nullptr: it has none

 private:
  void* handle_;
  std::filesystem::path path_;
};

// The file of a library that was found by its name.
std::filesystem::path loaded_path(void* handle, const std::filesystem::path& asked) {
  link_map* map = nullptr;
  if (::dlinfo(handle, RTLD_DI_LINKMAP, &map) != 0 || map == nullptr || *map->l_name == '\0') return asked;
  return map->l_name;
}

Library::Library(const std::filesystem::path& path) : handle_(::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) {
  if (handle_ == nullptr) {
    const char* reason = ::dlerror();
    fail("{}", reason == nullptr ? "the dynamic loader gives no reason" : reason);
  }
  // A path stays as it was given: it may be a link, and the user knows the link's name.
  path_ = path.has_parent_path() ? path : loaded_path(handle_, path);
}

void* Library::find(const char* symbol) const { return ::dlsym(handle_, symbol); }

// Fills a table's member from the library; `missing` collects the names that it lacks.
template <typename Function>
void fill(const Library& library, const char* name, Function*& member, std::string& missing) {
  member = reinterpret_cast<Function*>(library.find(name));
  if (member == nullptr) missing += (missing.empty() ? "" : ", ") + std::string(name);
}

// A table of all functions of a library; throws Error if it lacks one.
#define VERBUND_FILL(result, name, parameters) fill(library, #name, table.name, missing);
#define VERBUND_TABLE(Table, FUNCTIONS)                                                   \
  Table table;                                                                            \
  std::string missing;                                                                    \
  FUNCTIONS(VERBUND_FILL)                                                                 \
  if (!missing.empty()) fail("it has no {}: it is too old, or another library", missing); \
  return table;

// clang-format off
Driver driver_of(const Library& library) { VERBUND_TABLE(Driver, VERBUND_CUDA_DRIVER_FUNCTIONS) }
Nvrtc nvrtc_of(const Library& library) { VERBUND_TABLE(Nvrtc, VERBUND_CUDA_NVRTC_FUNCTIONS) }
Cublas cublas_of(const Library& library) { VERBUND_TABLE(Cublas, VERBUND_CUDA_CUBLAS_FUNCTIONS) }
Nccl nccl_of(const Library& library) { VERBUND_TABLE(Nccl, VERBUND_CUDA_NCCL_FUNCTIONS) }
// clang-format on

// Libraries that another one opens by name, from the folder where it is: the dynamic loader need not know that folder.
void load_companions(const fs::path& path, const std::string& begin) {
  if (!path.has_parent_path()) return;
  std::error_code none;
  for (const fs::directory_entry& entry : fs::directory_iterator(path.parent_path(), none)) {
    if (!entry.path().filename().string().starts_with(begin)) continue;
    try {
      Library{entry.path()};
    } catch (const Error&) {  // Its user will report it.
    }
  }
}

// Tries the candidates until `load` throws for none. The reasons of failures are kept in order: the first is the one
// that the user most likely means.
LibraryState load_first(const Search& search, const std::string& name, const std::vector<std::string>& names,
                        const std::function<std::string(const fs::path&)>& load) {
  LibraryState state{name, {}, {}, false, ""};
  std::string reasons;
  for (const fs::path& path : candidates(search, names)) {
    const bool is_file = path.has_parent_path();
    try {
      state.version = load(path);
      state.path = is_file ? path : Library(path).path();
      state.found = true;
      return state;
    } catch (const Error& error) {
      // A name that the dynamic loader does not find is not worth a message.
      if (!is_file && std::string(error.what()).find("cannot open shared object file") != std::string::npos) continue;
      state.found = true;
      if (state.path.empty()) state.path = path;
      const bool named = std::string_view(error.what()).starts_with(path.string());
      reasons +=
          (reasons.empty() ? "" : "; ") + (named ? error.what() : fmt::format("{}: {}", path.string(), error.what()));
    }
  }
  state.why_not = !reasons.empty() ? reasons : fmt::format("there is no {}", fmt::join(names, ", "));
  return state;
}

std::string error_name(const Driver& driver, CUresult result) {
  const char* name = nullptr;
  return driver.cuGetErrorName(result, &name) == CUDA_SUCCESS && name != nullptr
             ? name
             : fmt::format("error {}", static_cast<int>(result));
}

std::string cuda_version(int version) { return fmt::format("{}.{}", version / 1000, version % 1000 / 10); }

// Initialises the driver and returns the architectures of its GPUs.
std::vector<int> start(const Driver& driver) {
  const auto check = [&](CUresult result, const char* call) {
    if (result != CUDA_SUCCESS) fail("{} says {}", call, error_name(driver, result));
  };
  check(driver.cuInit(0), "the driver is there, but cuInit");
  int count = 0;
  check(driver.cuDeviceGetCount(&count), "cuDeviceGetCount");
  if (count == 0) fail("the driver is there, but has no GPU (CUDA_VISIBLE_DEVICES may hide them)");
  std::vector<int> architectures;
  for (int i = 0; i < count; ++i) {
    CUdevice device = 0;
    int major = 0, minor = 0;
    check(driver.cuDeviceGet(&device, i), "cuDeviceGet");
    check(driver.cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device),
          "cuDeviceGetAttribute");
    check(driver.cuDeviceGetAttribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device),
          "cuDeviceGetAttribute");
    architectures.push_back(major * 10 + minor);
  }
  return architectures;
}

// CUDA 13 no longer knows sm_70, and a driver of CUDA 12 runs no code of 13.
void check_fits(const std::string& what, int major, int driver_version, std::span<const int> known,
                const std::vector<int>& devices) {
  if (driver_version != 0 && major > driver_version / 1000) {
    fail("{} is of CUDA {}, but the driver is of CUDA {}", what, major, cuda_version(driver_version));
  }
  for (const int device : devices) {
    if (compile_architecture(known, device) != 0) continue;
    fail("{} of CUDA {} knows sm_{}, but a GPU here is sm_{}", what, major, fmt::join(known, " sm_"), device);
  }
}

}  // namespace

int compile_architecture(std::span<const int> known, int device) {
  int best = 0;
  for (const int one : known) {
    if (one / 10 == device / 10 && one <= device) best = std::max(best, one);
  }
  return best;
}

std::vector<int> known_architectures(const Nvrtc& nvrtc) {
  int count = 0;
  if (nvrtc.nvrtcGetNumSupportedArchs(&count) != NVRTC_SUCCESS || count <= 0) return {};
  std::vector<int> known(static_cast<size_t>(count));
  if (nvrtc.nvrtcGetSupportedArchs(known.data()) != NVRTC_SUCCESS) return {};
  return known;
}

CudaLibraries load_cuda(const Search& search) {
  CudaLibraries all;
  all.searched = describe(search);
  int driver_version = 0;
  int toolkit = 0;  // CUDA's major version, of the compiler that was loaded
  all.driver_state = load_first(search, "libcuda.so.1", {"libcuda.so.1"}, [&](const fs::path& path) {
    const Driver driver = driver_of(Library(path));
    all.architectures = start(driver);
    if (driver.cuDriverGetVersion(&driver_version) != CUDA_SUCCESS) driver_version = 0;
    all.driver = driver;
    return cuda_version(driver_version);
  });
  all.nvrtc_state =
      load_first(search, "libnvrtc", {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"}, [&](const fs::path& path) {
        const Library library(path);
        load_companions(library.path(), "libnvrtc-builtins.so.");
        const Nvrtc nvrtc = nvrtc_of(library);
        int major = 0, minor = 0;
        if (nvrtc.nvrtcVersion(&major, &minor) != NVRTC_SUCCESS) fail("it does not report its version");
        check_fits("the compiler", major, driver_version, known_architectures(nvrtc), all.architectures);
        all.nvrtc = nvrtc;
        toolkit = major;
        return fmt::format("{}.{}", major, minor);
      });
  // cuBLAS does not report which architectures it knows, but they are those of the compiler of the same version.
  std::vector<std::string> names = {"libcublas.so.13", "libcublas.so.12", "libcublas.so"};
  if (toolkit != 0) names = {fmt::format("libcublas.so.{}", toolkit), "libcublas.so"};
  all.cublas_state = load_first(search, "libcublas", names, [&](const fs::path& path) {
    load_companions(path, fmt::format("libcublasLt.so.{}", toolkit == 0 ? "1" : std::to_string(toolkit)));
    const Cublas cublas = cublas_of(Library(path));
    int major = 0, minor = 0;
    if (cublas.cublasGetProperty(MAJOR_VERSION, &major) != CUBLAS_STATUS_SUCCESS ||
        cublas.cublasGetProperty(MINOR_VERSION, &minor) != CUBLAS_STATUS_SUCCESS) {
      fail("it does not report its version");
    }
    if (toolkit != 0 && major != toolkit) fail("it is of CUDA {}, but the compiler is of CUDA {}", major, toolkit);
    all.cublas = cublas;
    return fmt::format("{}.{}", major, minor);
  });
  all.nccl_state = load_first(search, "libnccl.so.2", {"libnccl.so.2"}, [&](const fs::path& path) {
    const Nccl nccl = nccl_of(Library(path));
    int version = 0;
    if (nccl.ncclGetVersion(&version) != ncclSuccess) fail("it does not report its version");
    all.nccl = nccl;
    return fmt::format("{}.{}.{}", version / 10000, version / 100 % 100, version % 100);
  });
  return all;
}

}  // namespace verbund::cuda
