// Memory that processes of one machine share, found by a name until that is taken away.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

namespace verbund {

// Fails if there is no room for it, or the name is taken.
std::shared_ptr<std::byte> make_shared_memory(const std::string& name, size_t bytes);
// Null if it is not there.
std::shared_ptr<std::byte> find_shared_memory(const std::string& name, size_t bytes);
void unname_shared_memory(const std::string& name);

}  // namespace verbund
