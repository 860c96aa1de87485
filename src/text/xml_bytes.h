// SPDX-License-Identifier: Apache-2.0
// XmlBytes reads an XML file so that a few bad bytes do not make all of it unreadable: in UTF-8, bytes that are not
// UTF-8 become a mark, and control characters, which XML forbids, are left out, as cleaning does. Other encodings pass
// as they are.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "text/line_reader.h"

namespace verbund {

class XmlBytes {
 public:
  explicit XmlBytes(const std::filesystem::path& path);

  // Replaces `buffer` by the next bytes, about as many as it has; returns their number, 0 at the end.
  size_t read(std::string& buffer);
  uint64_t position() const { return source_->position(); }

 private:
  std::unique_ptr<ByteSource> source_;
  std::string raw_;  // read, but not yet returned
  bool started_ = false, is_utf8_ = true, ended_ = false;
};

// The marks in a text become bytes that are not UTF-8, so that cleaning finds the text invalid.
std::string marks_to_invalid_bytes(std::string_view text);

}  // namespace verbund
