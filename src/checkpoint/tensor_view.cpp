#include "checkpoint/tensor_view.h"

#include <array>

namespace verbund {
namespace {

struct DtypeRow {
  std::string_view name;
  uint64_t size;
};

// In the order of the enumerators.
constexpr std::array<DtypeRow, 15> kDtypes = {{{"BOOL", 1},
                                               {"U8", 1},
                                               {"I8", 1},
                                               {"F8_E5M2", 1},
                                               {"F8_E4M3", 1},
                                               {"I16", 2},
                                               {"U16", 2},
                                               {"F16", 2},
                                               {"BF16", 2},
                                               {"I32", 4},
                                               {"U32", 4},
                                               {"F32", 4},
                                               {"F64", 8},
                                               {"I64", 8},
                                               {"U64", 8}}};
static_assert(kDtypes.size() == static_cast<size_t>(Dtype::kU64) + 1);

}  // namespace

std::string_view dtype_name(Dtype dtype) { return kDtypes[static_cast<size_t>(dtype)].name; }

uint64_t dtype_size(Dtype dtype) { return kDtypes[static_cast<size_t>(dtype)].size; }

std::optional<Dtype> find_dtype(std::string_view name) {
  for (size_t i = 0; i < kDtypes.size(); ++i) {
    if (kDtypes[i].name == name) return static_cast<Dtype>(i);
  }
  return std::nullopt;
}

std::optional<uint64_t> tensor_size(std::span<const int64_t> shape, Dtype dtype) {
  uint64_t size = dtype_size(dtype);
  for (const int64_t length : shape) {
    if (length < 0 || __builtin_mul_overflow(size, static_cast<uint64_t>(length), &size)) return std::nullopt;
  }
  return size;
}

std::string show_shape(std::span<const int64_t> shape) { return fmt::format("[{}]", fmt::join(shape, ", ")); }

}  // namespace verbund
