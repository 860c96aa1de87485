#include "checkpoint/checkpoint_links.h"

#include <cerrno>
#include <cstring>
#include <optional>

#include "checkpoint/checkpoint_format.h"
#include "core/file_system.h"
#include "core/log.h"

namespace verbund {
namespace {

std::optional<int64_t> linked_step(const fs::path& path) {
  std::error_code not_a_link;
  return step_of_folder_name(fs::read_symlink(path, not_a_link).string());
}

}  // namespace

void set_checkpoint_link(const fs::path& checkpoints, const std::string& name, int64_t step) {
  const fs::path link = checkpoints / name;
  const fs::path partial = link.string() + kPartialEnding;
  if (linked_step(link) == step) return;
  FileSystem& files = file_system();
  try_remove(partial);
  if (files.symlink(step_folder_name(step), partial) == 0 && files.rename(partial, link) == 0) return;
  warn("cannot let {} point to {}: {}", link.string(), step_folder_name(step), std::strerror(errno));
  try_remove(partial);
}

std::set<int64_t> linked_steps(const fs::path& checkpoints) {
  std::set<int64_t> steps;
  for (const fs::path& path : list_folder(checkpoints)) {
    if (const auto step = linked_step(path)) steps.insert(*step);
  }
  return steps;
}

void remove_dangling_links(const fs::path& checkpoints) {
  for (const fs::path& path : list_folder(checkpoints)) {
    std::error_code error;  // a checkpoint that cannot be looked at is not gone
    const auto step = linked_step(path);
    if (step && fs::status(checkpoints / step_folder_name(*step), error).type() == fs::file_type::not_found) {
      try_remove(path);
    }
  }
}

}  // namespace verbund
