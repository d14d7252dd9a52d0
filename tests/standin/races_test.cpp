// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The race detector finds what nothing orders in CUDA, and nothing else (support/cuda/races.hpp).
#include "standin/faults.hpp"

#if defined(STANDIN_RACES)

namespace standin_races {
namespace {

using namespace standin_test;

/// The races in what `work` lets a device do, with several seeds; with the first one, all is done in
/// order and at once.
template <class Work>
long races_in(const Work& work, std::uint64_t seeds = 4) {
  standin::races::expect(true);
  const auto seed = standin::toolkit().schedule.seed();
  for (std::uint64_t other = 0; other < seeds; ++other) {
    standin::toolkit().schedule.set(other);
    Device device;
    work(device);
  }
  standin::toolkit().schedule.set(seed);
  const long found = standin::races::found();
  standin::races::expect(false);
  return found;
}

void count_blocks(Device& d, void (*kernel)(float*, unsigned*)) {
  unsigned* const arrived = reinterpret_cast<unsigned*>(d.allocate());
  (void)cudaMemcpyAsync(arrived, d.host, 4, cudaMemcpyDefault, d.one);  // 0
  launch(d.one, kernel, d.x, arrived);
  (void)cudaFreeAsync(arrived, d.one);
}
/// Lets a stream wait for what another has to do until now.
void wait_for(Device& d, cudaStream_t waiting, cudaStream_t stream) {
  (void)cudaEventRecord(d.event, stream);
  (void)cudaStreamWaitEvent(waiting, d.event);
}

TEST_CASE("races: what is in order is none", "[standin]") {
  CHECK(races_in([](Device& d) {
          launch(d.one, rotate_kernel<float>, d.x);
          launch(d.one, rotate_kernel<float>, d.x);
        }) == 0);
  CHECK(races_in([](Device& d) { count_blocks(d, last_block_kernel<float, true, true>); }) == 0);
  CHECK(races_in([](Device& d) {
          launch(d.one, increment_kernel<float>, d.x);
          (void)cudaEventRecord(d.event, d.one);
          (void)cudaStreamWaitEvent(d.other, d.event);
          launch(d.other, increment_kernel<float>, d.x);
          (void)cudaEventRecord(d.event, d.other);
          (void)cudaStreamWaitEvent(d.one, d.event);
        }) == 0);
  CHECK(races_in([](Device& d) {
          (void)cudaMemcpyAsync(d.x, d.host, d.kBytes, cudaMemcpyDefault, d.one);
          (void)cudaEventRecord(d.event, d.one);
          while (cudaEventQuery(d.event) == cudaErrorNotReady) {
          }
          *static_cast<float*>(d.host) = 1;
        }) == 0);
}

TEST_CASE("races: a device that was waited for has done what a destroyed stream had to do",
          "[standin]") {
  CHECK(races_in([](Device& d) {
          cudaStream_t gone = nullptr;
          REQUIRE(cudaStreamCreateWithFlags(&gone, cudaStreamNonBlocking) == cudaSuccess);
          wait_for(d, gone, d.one);
          (void)cudaMemcpyAsync(d.host, d.x, d.kBytes, cudaMemcpyDefault, gone);
          (void)cudaStreamDestroy(gone);
          (void)cudaDeviceSynchronize();
          volatile float first = *static_cast<float*>(d.host);
          (void)first;
        }) == 0);
}

TEST_CASE("races: a missing barrier within a block", "[standin]") {
  CHECK(races_in([](Device& d) { launch(d.one, no_first_barrier_kernel<float>, d.x); }) > 0);
  CHECK(races_in([](Device& d) { launch(d.one, no_second_barrier_kernel<float>, d.x); }) > 0);
  CHECK(races_in([](Device& d) { launch(d.one, shuffle_for_barrier_kernel<float>, d.x); }) > 0);
}

TEST_CASE("races: between the blocks of a launch", "[standin]") {
  CHECK(races_in([](Device& d) { launch(d.one, other_block_kernel<float>, d.x); }) > 0);
  CHECK(races_in([](Device& d) { count_blocks(d, last_block_kernel<float, false, true>); }) > 0);
  CHECK(races_in([](Device& d) { count_blocks(d, last_block_kernel<float, true, false>); }) > 0);
  CHECK(races_in([](Device& d) { count_blocks(d, last_block_kernel<float, false, false>); }) > 0);
  CHECK(races_in([](Device& d) {  // each thread has a fence, but not the one that counts, in time
          count_blocks(d, last_block_kernel<float, false, true, true>);
        }) > 0);
}

TEST_CASE("races: a plain access and atomic ones", "[standin]") {
  CHECK(races_in(
            [](Device& d) {
              launch_grid(1, kThreads, d.one, zero_and_add_kernel<unsigned>,
                          static_cast<unsigned*>(static_cast<void*>(d.x)));
            },
            1) > 0);
}

TEST_CASE("races: shared memory that no thread has written", "[standin]") {
  CHECK(races_in([](Device& d) { launch(d.one, uninitialised_kernel<float>, d.x); }) > 0);
  CHECK(races_in([](Device& d) { launch(d.one, add_to_uninitialised_kernel<float>, d.x); }) > 0);
  CHECK(races_in([](Device& d) { launch(d.one, increment_uninitialised_kernel<float>, d.x); }) > 0);
}

TEST_CASE("races: between streams", "[standin]") {
  CHECK(races_in([](Device& d) {
          launch(d.one, increment_kernel<float>, d.x);
          launch(d.other, increment_kernel<float>, d.x);
        }) > 0);
  CHECK(races_in([](Device& d) {  // of which one is long over, and 1024 threads have run since
          (void)cudaMemcpyAsync(d.x, d.host, d.kBytes, cudaMemcpyDefault, d.one);
          float* const memory = d.allocate();
          (void)cudaEventRecord(d.event, d.one);
          launch_grid(1, d.kCount, d.one, increment_kernel<float>, memory);
          launch(d.other, increment_kernel<float>, d.x);
          (void)cudaFreeAsync(memory, d.one);
        }) > 0);
  CHECK(races_in([](Device& d) {  // memory that is given back while another stream uses it
          launch(d.other, increment_kernel<float>, d.x);
          (void)cudaFreeAsync(d.x, d.one);
          d.x = nullptr;
        }) > 0);
  CHECK(races_in([](Device& d) {  // memory that another stream has yet to allocate
          float* const memory = d.allocate();
          launch(d.other, increment_kernel<float>, memory);
          wait_for(d, d.one, d.other);
          (void)cudaFreeAsync(memory, d.one);
        }) > 0);
  CHECK(races_in(
            [](Device& d) {  // one of three readers is not waited for
              cudaStream_t third = nullptr;
              REQUIRE(cudaStreamCreateWithFlags(&third, cudaStreamNonBlocking) == cudaSuccess);
              const cudaStream_t readers[] = {d.one, d.other, third};
              float* sums[3];
              for (float*& sum : sums) sum = d.allocate();
              for (const cudaStream_t reader : {d.other, third}) wait_for(d, reader, d.one);
              for (int i = 0; i < 3; ++i)
                launch(readers[i], read_kernel<float>, static_cast<const float*>(d.x), sums[i]);
              wait_for(d, d.one, third);
              launch(d.one, increment_kernel<float>, d.x);
              standin::toolkit().finish();
              for (float* const sum : sums) (void)cudaFreeAsync(sum, d.one);
              (void)cudaStreamDestroy(third);
            },
            1) > 0);
}

TEST_CASE("races: between a stream and the host", "[standin]") {
  CHECK(races_in([](Device& d) {  // a buffer that is reused too early
          (void)cudaMemcpyAsync(d.x, d.host, d.kBytes, cudaMemcpyDefault, d.one);
          *static_cast<float*>(d.host) = 1;
        }) > 0);
  CHECK(races_in([](Device& d) {  // a result that is read too early
          (void)cudaMemcpyAsync(d.host, d.x, d.kBytes, cudaMemcpyDefault, d.one);
          (void)cudaStreamSynchronize(d.other);
          volatile float first = *static_cast<float*>(d.host);
          (void)first;
        }) > 0);
}

}  // namespace
}  // namespace standin_races

#endif
