#include "cuda/library.h"

#include <dlfcn.h>
#include <link.h>

#include "core/error.h"

namespace verbund::cuda {
namespace {

// Of a library that was found by its name, the file.
std::filesystem::path loaded_path(void* handle, const std::filesystem::path& asked) {
  link_map* map = nullptr;
  if (::dlinfo(handle, RTLD_DI_LINKMAP, &map) != 0 || map == nullptr || *map->l_name == '\0') return asked;
  return map->l_name;
}

}  // namespace

Library::Library(const std::filesystem::path& path) : handle_(::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) {
  if (handle_ == nullptr) {
    const char* reason = ::dlerror();
    fail("{}", reason == nullptr ? "the dynamic loader gives no reason" : reason);
  }
  // A path stays as it was asked for: it may be a link, and the link's name is what the user knows.
  path_ = path.has_parent_path() ? path : loaded_path(handle_, path);
}

void* Library::find(const char* symbol) const { return ::dlsym(handle_, symbol); }

}  // namespace verbund::cuda
