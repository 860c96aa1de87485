// SPDX-License-Identifier: Apache-2.0
// Files of torch.save: ARCHIVE/data.pkl is a dict of tensors, each a view of a storage, whose bytes are
// ARCHIVE/data/KEY.
#include <map>

#include "core/error.h"
#include "fetch/archive.h"
#include "interop/pickle.h"
#include "interop/tensor_map.h"

namespace verbund {
namespace {

using Kind = PickleValue::Kind;

constexpr size_t kMaxDimensions = 8;
// Tied embeddings are one storage under four names; thousands of names would be an attack on the memory.
constexpr uint64_t kMaxViews = 8;

constexpr std::string_view kTensor = "torch._utils _rebuild_tensor_v2", kParameter = "torch._utils _rebuild_parameter";
const std::map<std::string_view, Dtype> kStorages = {
    {"torch FloatStorage", Dtype::kF32},     {"torch DoubleStorage", Dtype::kF64}, {"torch HalfStorage", Dtype::kF16},
    {"torch BFloat16Storage", Dtype::kBF16}, {"torch LongStorage", Dtype::kI64},   {"torch IntStorage", Dtype::kI32},
    {"torch ByteStorage", Dtype::kU8},       {"torch BoolStorage", Dtype::kBool}};

std::vector<std::string_view> known_names() {
  std::vector<std::string_view> names = {kTensor, kParameter, "collections OrderedDict"};
  for (const auto& [name, dtype] : kStorages) names.push_back(name);
  return names;
}

class TorchFile {
 public:
  explicit TorchFile(const fs::path& path) : where_(path.string()) {
    for (ArchiveMember& member : read_zip(path)) {
      const size_t slash = member.name.find('/');
      if (slash != std::string::npos) members_[member.name.substr(slash + 1)] = std::move(member.bytes);
    }
    if (!members_.contains("data.pkl")) fail("{} has no data.pkl: torch.save did not write it", where_);
    if (const auto order = members_.find("byteorder"); order != members_.end() && order->second != "little") {
      fail("{} has the byte order \"{:.20}\": only little-endian files are supported", where_, order->second);
    }
  }

  TensorMap tensors(const fs::path& path) const {
    const Pickle pickle = read_pickle(members_.at("data.pkl"), where_, known_names());
    if (pickle.root->kind != Kind::kDict) fail("{} holds no dict of tensors", where_);
    TensorMap result(path);
    uint64_t stored = 0, viewed = 0;
    for (const auto& [name, bytes] : members_) stored += bytes.size();
    const auto& items = pickle.root->items;
    for (size_t i = 0; i + 1 < items.size(); i += 2) {
      if (items[i]->kind != Kind::kText) fail("{}: the name of a tensor is not text", where_);
      const TensorView view = tensor(items[i]->text, *items[i + 1]);
      viewed += view.bytes.size();
      if (viewed > kMaxViews * stored) fail("{}: its tensors have more than {} times its bytes", where_, kMaxViews);
      result.add(view.name, to_floats(view));
    }
    return result;
  }

 private:
  [[noreturn]] void refuse(const std::string& name) const {
    fail("{}: {} is not a tensor as torch.save writes it", where_, name);
  }

  const PickleValue& expect(const std::string& name, const PickleValue& call, size_t index, Kind kind) const {
    if (index >= call.items.size() || call.items[index]->kind != kind) refuse(name);
    return *call.items[index];
  }

  std::vector<int64_t> numbers(const std::string& name, const PickleValue& tuple) const {
    if (tuple.items.size() > kMaxDimensions) refuse(name);
    std::vector<int64_t> result;
    for (size_t i = 0; i < tuple.items.size(); ++i) result.push_back(expect(name, tuple, i, Kind::kInteger).integer);
    return result;
  }

  // _rebuild_tensor_v2(storage, offset, shape, stride, ...); the storage is ("storage", type, key, place, count).
  TensorView tensor(const std::string& name, const PickleValue& value) const {
    if (value.kind == Kind::kCall && value.text == kParameter && !value.items.empty()) {
      const PickleValue& inner = *value.items[0];
      if (inner.kind == Kind::kCall && inner.text == kTensor) return tensor(name, inner);
    }
    if (value.kind != Kind::kCall || value.text != kTensor) refuse(name);
    const PickleValue& storage = expect(name, value, 0, Kind::kPersistent);
    const int64_t offset = expect(name, value, 1, Kind::kInteger).integer;
    const std::vector<int64_t> shape = numbers(name, expect(name, value, 2, Kind::kTuple));
    const std::vector<int64_t> stride = numbers(name, expect(name, value, 3, Kind::kTuple));
    const auto type = kStorages.find(expect(name, storage, 1, Kind::kName).text);
    if (type == kStorages.end()) refuse(name);
    const auto member = members_.find("data/" + expect(name, storage, 2, Kind::kText).text);
    if (member == members_.end()) fail("{}: the bytes of {} are missing", where_, name);

    int64_t contiguous = 1;
    for (size_t i = shape.size(); i-- > 0;) {
      if (shape[i] < 0 || stride.size() != shape.size()) refuse(name);
      if (shape[i] > 1 && stride[i] != contiguous) fail("{}: {} is not contiguous", where_, name);
      if (__builtin_mul_overflow(contiguous, std::max<int64_t>(1, shape[i]), &contiguous)) refuse(name);
    }
    const std::optional<uint64_t> size = tensor_size(shape, type->second);
    const std::string& bytes = member->second;
    const uint64_t width = dtype_size(type->second);
    if (!size || offset < 0 || static_cast<uint64_t>(offset) > bytes.size() / width ||
        *size > bytes.size() - static_cast<uint64_t>(offset) * width) {
      fail("{}: {} is {} from element {} on, but its storage has {} bytes", where_, name, show_shape(shape), offset,
           bytes.size());
    }
    const auto all = std::as_bytes(std::span(bytes.data(), bytes.size()));
    return {name, shape, type->second, all.subspan(static_cast<size_t>(offset) * width, *size)};
  }

  std::string where_;
  std::map<std::string, std::string> members_;
};

}  // namespace

TensorMap read_torch_tensors(const fs::path& path) {
  if (!MappedFile(path).bytes().starts_with("PK")) {
    fail(
        "{} is not a zip archive: PyTorch before 1.6 wrote it, or it is damaged. Convert it: python3 -c \"import "
        "torch, safetensors.torch as s; s.save_file({{k: v.clone() for k, v in torch.load('{}', "
        "weights_only=True).items()}}, 'model.safetensors')\"",
        path.string(), path.string());
  }
  return TorchFile(path).tensors(path);
}

}  // namespace verbund
