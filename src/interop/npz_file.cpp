// SPDX-License-Identifier: Apache-2.0
// Files of numpy.savez: a zip archive of .npy files. A .npy file has a magic number, the length of its header, the
// header (a Python dict with descr, fortran_order and shape) and the elements.
#include <charconv>

#include "core/error.h"
#include "fetch/archive.h"
#include "interop/tensor_map.h"

namespace verbund {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";

class NpyFile {
 public:
  NpyFile(const std::string& where, const ArchiveMember& member) : where_(where + ": " + member.name) {
    const std::string_view bytes = member.bytes;
    if (!bytes.starts_with(kMagic) || bytes.size() < 12) fail("{} is not a .npy file", where_);
    const int version = static_cast<unsigned char>(bytes[6]);
    const size_t begin = version == 1 ? 10 : 12;
    size_t length = 0;
    for (size_t i = begin; i-- > 8;) length = length << 8 | static_cast<unsigned char>(bytes[i]);
    if (version < 1 || version > 3 || length > bytes.size() - begin) fail("{} has a damaged header", where_);
    header_ = bytes.substr(begin, length);
    elements = bytes.substr(begin + length);
    type = std::string(quoted_after("'descr':"));
    const std::string_view order = after("'fortran_order':");
    if (order.starts_with("True")) fail("{} is in Fortran's order, which is not supported", where_);
    if (!order.starts_with("False")) fail("{} has a damaged header", where_);
    read_shape(after("'shape':"));
  }

  std::string type;
  std::vector<int64_t> shape;
  std::string_view elements;
  const std::string& where() const { return where_; }

 private:
  std::string_view after(std::string_view key) const {
    const size_t at = header_.find(key);
    if (at == std::string_view::npos) fail("{} has no {} in its header", where_, key);
    std::string_view rest = header_.substr(at + key.size());
    while (rest.starts_with(' ')) rest.remove_prefix(1);
    return rest;
  }
  std::string_view quoted_after(std::string_view key) const {
    const std::string_view rest = after(key);
    const size_t end = rest.find('\'', 1);
    if (!rest.starts_with('\'') || end == std::string_view::npos) fail("{} has a damaged header", where_);
    return rest.substr(1, end - 1);
  }
  void read_shape(std::string_view text) {
    const size_t end = text.find(')');
    if (!text.starts_with('(') || end == std::string_view::npos) fail("{} has a damaged shape", where_);
    text = text.substr(1, end - 1);
    while (!text.empty()) {
      const size_t comma = std::min(text.find(','), text.size());
      std::string_view word = text.substr(0, comma);
      while (word.starts_with(' ')) word.remove_prefix(1);
      text.remove_prefix(std::min(comma + 1, text.size()));
      if (word.empty() && text.empty()) return;
      int64_t extent = -1;
      const auto [stop, error] = std::from_chars(word.data(), word.data() + word.size(), extent);
      if (error != std::errc() || stop != word.data() + word.size() || extent < 0) {
        fail("{} has a damaged shape", where_);
      }
      shape.push_back(extent);
    }
  }

  std::string where_;
  std::string_view header_;
};

}  // namespace

TensorMap read_npz_tensors(const fs::path& path, std::map<std::string, std::string>& texts) {
  if (!MappedFile(path).bytes().starts_with("PK")) {
    fail("{} is not a zip archive of .npy files, as numpy.savez and Marian write it. Is it truncated or damaged?",
         path.string());
  }
  TensorMap tensors(path);
  for (const ArchiveMember& member : read_zip(path)) {
    const NpyFile file(path.string(), member);
    const std::string name =
        member.name.ends_with(".npy") ? member.name.substr(0, member.name.size() - 4) : member.name;
    if (file.type == "|i1" || file.type == "<i1" || file.type == "|u1") {
      texts[name] = std::string(file.elements);
      continue;
    }
    const std::map<std::string_view, Dtype> types = {{"<f4", Dtype::kF32}, {"<f8", Dtype::kF64}, {"<f2", Dtype::kF16}};
    const auto type = types.find(file.type);
    if (type == types.end()) fail("{} has elements of type \"{}\", which are not weights", file.where(), file.type);
    tensors.add(name, to_floats({file.where(), file.shape, type->second,
                                 std::as_bytes(std::span(file.elements.data(), file.elements.size()))}));
  }
  return tensors;
}

}  // namespace verbund
