// SPDX-License-Identifier: Apache-2.0
#include "cuda/libraries.h"

#include <dlfcn.h>
#include <gmock/gmock.h>

#include "support/temporary_folder.h"

namespace verbund::cuda {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
namespace fs = std::filesystem;

// A folder with links to made-up libraries.
class CudaLibrariesTest : public ::testing::Test {
 protected:
  void link(const std::string& name, const fs::path& library) {
    fs::create_directories((folder_ / name).parent_path());
    fs::create_symlink(library, folder_ / name);
  }
  void link_all(const fs::path& library) {
    link("libcuda.so.1", library);
    link_all_but_the_driver(library);
  }
  void link_all_but_the_driver(const fs::path& library) {
    for (const char* name : {"libnvrtc.so", "libcublas.so", "libnccl.so.2"}) link(name, library);
  }
  CudaLibraries load() const { return load_cuda(search_only(folder_.path())); }

  TemporaryFolder folder_;
};

TEST_F(CudaLibrariesTest, AllAreFound) {
  link_all(VERBUND_MADE_CUDA_12);
  const CudaLibraries all = load();
  EXPECT_TRUE(all.usable()) << missing_message(all);
  EXPECT_EQ(missing_message(all), "");
  EXPECT_EQ(missing_nccl_message(all), "");
  EXPECT_THAT(all.architectures, ElementsAre(70));
  EXPECT_EQ(all.driver_state.path, folder_ / "libcuda.so.1");
  EXPECT_EQ(all.driver_state.version, "12.8");
  EXPECT_EQ(all.nvrtc_state.version, "12.8");
  EXPECT_EQ(all.cublas_state.version, "12.4");
  EXPECT_EQ(all.nccl_state.version, "2.26.5");
  ASSERT_TRUE(all.nccl);
  EXPECT_EQ(all.nccl->ncclGroupStart(), ncclSuccess);
  EXPECT_EQ(all.driver.cuCtxSynchronize(), CUDA_SUCCESS);
}

TEST_F(CudaLibrariesTest, WithoutADriverThereIsAdvice) {
  const CudaLibraries all = load();
  EXPECT_FALSE(all.usable());
  EXPECT_FALSE(all.driver_state.found);
  EXPECT_THAT(missing_message(all), AllOf(HasSubstr("device cuda"), HasSubstr("libcuda.so.1"),
                                          HasSubstr(folder_.path().string()), HasSubstr("--set device=cpu")));
  EXPECT_THAT(missing_message(all, "emulated"), AllOf(HasSubstr("device emulated"), HasSubstr("--set device=cpu")));
}

TEST_F(CudaLibrariesTest, ADriverWithoutAGpuSaysSo) {
  link_all(VERBUND_MADE_CUDA_0);
  const CudaLibraries all = load();
  EXPECT_TRUE(all.driver_state.found);
  EXPECT_THAT(missing_message(all), AllOf(HasSubstr("cuInit"), HasSubstr("CUDA_ERROR_NO_DEVICE"),
                                          HasSubstr("nvidia-smi"), HasSubstr((folder_ / "libcuda.so.1").string())));
}

TEST_F(CudaLibrariesTest, AMissingFunctionIsNamed) {
  Dl_info libc = {};
  ASSERT_NE(::dladdr(reinterpret_cast<void*>(&::getenv), &libc), 0);
  link("libcuda.so.1", libc.dli_fname);
  EXPECT_THAT(missing_message(load()), HasSubstr("cuInit, cuDriverGetVersion"));
}

TEST_F(CudaLibrariesTest, ADamagedFileIsNamed) {
  folder_.write("libcuda.so.1", "not a library");
  EXPECT_THAT(missing_message(load()), HasSubstr((folder_ / "libcuda.so.1").string()));
}

TEST_F(CudaLibrariesTest, WithoutCompilerOrGemmThePackagesAreNamed) {
  link("libcuda.so.1", VERBUND_MADE_CUDA_12);
  EXPECT_THAT(missing_message(load()),
              AllOf(HasSubstr("libnvrtc.so.13, libnvrtc.so.12, libnvrtc.so"), HasSubstr("CUDA 12"),
                    HasSubstr("nvidia-cuda-nvrtc-cu12"), HasSubstr("VERBUND_CUDA_PATH")));
  link("libnvrtc.so.12", VERBUND_MADE_CUDA_12);
  EXPECT_THAT(missing_message(load()), AllOf(HasSubstr("libcublas.so.12"), HasSubstr("nvidia-cublas-cu12")));
  link("libcublas.so.12", VERBUND_MADE_CUDA_12);
  const CudaLibraries all = load();
  EXPECT_EQ(missing_message(all), "");
  EXPECT_FALSE(all.nccl);
  EXPECT_THAT(missing_nccl_message(all), AllOf(HasSubstr("libnccl2"), HasSubstr("workers.transport=mpi")));
}

TEST_F(CudaLibrariesTest, AV100UsesTheOlderOfTwoToolkits) {
  link("driver/libcuda.so.1", VERBUND_MADE_CUDA_12);
  link("new/libnvrtc.so.13", VERBUND_MADE_CUDA_13);
  link("new/libcublas.so.13", VERBUND_MADE_CUDA_13);
  Search search{{}, false, {folder_ / "driver", folder_ / "new"}};
  EXPECT_THAT(missing_message(load_cuda(search)), AllOf(HasSubstr("CUDA 13"), HasSubstr("CUDA 12.8")));
  link("old/libnvrtc.so.12", VERBUND_MADE_CUDA_12);
  link("old/libcublas.so.12", VERBUND_MADE_CUDA_12);
  search.folders.push_back(folder_ / "old");
  const CudaLibraries all = load_cuda(search);
  EXPECT_EQ(missing_message(all), "");
  EXPECT_EQ(all.nvrtc_state.path, folder_ / "old/libnvrtc.so.12");
  EXPECT_EQ(all.cublas_state.path, folder_ / "old/libcublas.so.12");
}

TEST_F(CudaLibrariesTest, AnOldCompilerDoesNotKnowANewGpu) {
  link("libcuda.so.1", VERBUND_MADE_CUDA_13);
  link("libnvrtc.so.12", VERBUND_MADE_CUDA_12);
  EXPECT_THAT(missing_message(load()), AllOf(HasSubstr("CUDA 12"), HasSubstr("sm_50 sm_70"), HasSubstr("sm_103"),
                                             HasSubstr("CUDA 13"), HasSubstr("nvidia-cuda-nvrtc ")));
  fs::remove(folder_ / "libnvrtc.so.12");
  link_all_but_the_driver(VERBUND_MADE_CUDA_13);
  EXPECT_EQ(missing_message(load()), "") << "sm_103 runs code for sm_100";
}

TEST(CudaArchitecture, IsThatOfTheGpuOrOlderOfItsGeneration) {
  const std::vector<int> known = {70, 75, 80, 86, 90, 120};
  EXPECT_EQ(compile_architecture(known, 70), 70);
  EXPECT_EQ(compile_architecture(known, 89), 86);
  EXPECT_EQ(compile_architecture(known, 87), 86);
  EXPECT_EQ(compile_architecture(known, 121), 120);
  EXPECT_EQ(compile_architecture(known, 72), 70);
  EXPECT_EQ(compile_architecture(known, 61), 0);
  EXPECT_EQ(compile_architecture(known, 103), 0);
}

// The real libraries, where there are any. No GPU is needed: they report their versions without one.
TEST(CudaLibrariesOfThisMachine, TellTheirVersions) {
  const CudaLibraries all = load_cuda(usual_search(SearchVariables::of_environment()));
  if (!all.nvrtc_state.found) GTEST_SKIP() << "there is no NVRTC on this machine";
  ASSERT_TRUE(all.nvrtc_state.usable()) << all.nvrtc_state.why_not;
  EXPECT_TRUE(all.nvrtc_state.path.is_absolute()) << all.nvrtc_state.path;
  EXPECT_THAT(known_architectures(all.nvrtc), Not(IsEmpty()));
  if (all.cublas_state.usable()) {
    EXPECT_EQ(all.cublas_state.version.substr(0, 3), all.nvrtc_state.version.substr(0, 3));
    EXPECT_STREQ(all.cublas.cublasGetStatusString(CUBLAS_STATUS_NOT_SUPPORTED),
                 "the requested functionality is not supported");
  }
  if (all.nccl_state.usable()) {
    ncclUniqueId id = {};
    EXPECT_EQ(all.nccl->ncclGetUniqueId(&id), ncclSuccess);
  }
  // Its companion library is found, too.
  nvrtcProgram program = nullptr;
  const char* source = "extern \"C\" __global__ void add(float* a) { a[threadIdx.x] += __expf(1.0f); }";
  ASSERT_EQ(all.nvrtc.nvrtcCreateProgram(&program, source, "add.cu", 0, nullptr, nullptr), NVRTC_SUCCESS);
  const std::string option = "--gpu-architecture=sm_" + std::to_string(known_architectures(all.nvrtc).front());
  const char* options[] = {option.c_str()};
  const nvrtcResult result = all.nvrtc.nvrtcCompileProgram(program, 1, options);
  EXPECT_EQ(result, NVRTC_SUCCESS) << all.nvrtc.nvrtcGetErrorString(result);
  size_t size = 0;
  EXPECT_EQ(all.nvrtc.nvrtcGetCUBINSize(program, &size), NVRTC_SUCCESS);
  EXPECT_GT(size, 0u);
  EXPECT_EQ(all.nvrtc.nvrtcDestroyProgram(&program), NVRTC_SUCCESS);
}

}  // namespace
}  // namespace verbund::cuda
