#include "fetch/digest.h"

#include <openssl/evp.h>

#include <array>
#include <memory>
#include <string_view>

#include "core/error.h"
#include "core/file.h"
#include "core/progress.h"

namespace verbund {
namespace {

constexpr size_t kDigestBlock = 4 << 20;

}  // namespace

std::string file_digest(const std::filesystem::path& path, Digest algorithm) {
  const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context(EVP_MD_CTX_new(), EVP_MD_CTX_free);
  const EVP_MD* method = algorithm == Digest::kSha256 ? EVP_sha256() : EVP_md5();
  bool ok = context != nullptr && EVP_DigestInit_ex(context.get(), method, nullptr) == 1;

  const MappedFile file(path);
  const std::string_view bytes = file.bytes();
  Progress progress("verify", bytes.size(), "bytes");
  for (size_t done = 0; ok && done < bytes.size(); done += kDigestBlock) {
    progress.update(done);
    const std::string_view block = bytes.substr(done, kDigestBlock);
    ok = EVP_DigestUpdate(context.get(), block.data(), block.size()) == 1;
  }

  std::array<unsigned char, EVP_MAX_MD_SIZE> digest;
  unsigned int size = 0;
  // Happens where the system's policy forbids an algorithm, as FIPS mode does md5.
  if (!ok || EVP_DigestFinal_ex(context.get(), digest.data(), &size) != 1) {
    fail("cannot compute the {} of {}: this system's OpenSSL refuses it",
         algorithm == Digest::kSha256 ? "sha256" : "md5", path.string());
  }
  std::string text;
  for (unsigned int i = 0; i < size; ++i) text += fmt::format("{:02x}", digest[i]);
  return text;
}

}  // namespace verbund
