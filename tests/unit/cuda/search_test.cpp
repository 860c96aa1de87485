// SPDX-License-Identifier: Apache-2.0
#include "cuda/search.h"

#include <gmock/gmock.h>

#include "support/temporary_folder.h"

namespace verbund::cuda {
namespace {

using ::testing::ElementsAre;
namespace fs = std::filesystem;

fs::path make(const fs::path& folder) {
  fs::create_directories(folder);
  return folder;
}

TEST(CudaSearch, LooksIntoVirtualEnvironmentToolkitsSystemAndHome) {
  const TemporaryFolder root;
  const fs::path old_toolkit = make(root / "usr/local/cuda-12.9/lib64");
  const fs::path new_toolkit = make(root / "usr/local/cuda-12.10/lib64");
  const fs::path toolkit = make(root / "usr/local/cuda/lib64");
  const fs::path system = make(root / "usr/lib/x86_64-linux-gnu");
  const fs::path wheel = make(root / "venv/lib/python3.11/site-packages/nvidia/cuda_nvrtc/lib");
  const fs::path shared_wheel = make(root / "venv/lib/python3.11/site-packages/nvidia/cu13/lib");
  const fs::path user_wheel = make(root / "me/.local/lib/python3.12/site-packages/nvidia/cublas/lib");
  make(root / "venv/lib/python3.11/site-packages/nvidia/cusparse/lib");  // of no use

  const Search search = usual_search({{}, (root / "venv").string(), (root / "me").string()}, root.path());
  EXPECT_THAT(search.first, ElementsAre());
  EXPECT_TRUE(search.loader);
  EXPECT_THAT(search.folders, ElementsAre(shared_wheel, wheel, toolkit, new_toolkit, old_toolkit, system, user_wheel));
  EXPECT_THAT(usual_search({}, root / "nothing").folders, ElementsAre());
}

TEST(CudaSearch, WhatIsInTheUsersFolderIsTheOnlyCandidate) {
  const TemporaryFolder root;
  make(root / "toolkit/lib64");
  make(root / "usr/local/cuda/lib64");
  const fs::path system = root.write("usr/local/cuda/lib64/libnvrtc.so.13", "");
  const Search search = usual_search({(root / "toolkit").string(), {}, {}}, root.path());
  EXPECT_THAT(candidates(search, {"libnvrtc.so.13", "libnvrtc.so.12"}),
              ElementsAre("libnvrtc.so.13", "libnvrtc.so.12", system))
      << "the user's folder has none";
  const fs::path own = root.write("toolkit/lib64/libnvrtc.so.12", "");
  EXPECT_THAT(candidates(search, {"libnvrtc.so.13", "libnvrtc.so.12"}), ElementsAre(own));
}

TEST(CudaSearch, OneFolderAloneIsOneFolderAlone) {
  const TemporaryFolder folder;
  EXPECT_THAT(candidates(search_only(folder.path()), {"libcuda.so.1"}), ElementsAre());
  EXPECT_EQ(describe(search_only(folder.path())), folder.path());
}

TEST(CudaSearch, TellsWhereItLooks) {
  EXPECT_EQ(describe({{"/mine", "/mine/lib64"}, true, {"/usr/local/cuda/lib64", "/opt/cuda/lib64"}}),
            "/mine, the dynamic loader's folders, /usr/local/cuda/lib64, /opt/cuda/lib64");
}

}  // namespace
}  // namespace verbund::cuda
