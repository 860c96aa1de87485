// SPDX-License-Identifier: Apache-2.0
// The kernels of decoding token by token: attention of single queries over a kv cache whose rows lie anywhere in memory,
// the most likely next tokens, and the mean of several models' probabilities.
#pragma once

#include "loss.cuh"

constexpr int kStepThreads = 128, kStepWarps = kStepThreads / kWarp;
constexpr int kWidestQuery = 4096;

template <bool kVector>
__device__ __forceinline__ float inner_product(const float* query, const ComputeT* key, int depth) {
  float total = 0;
  for (int i = 0; i < depth; i += 4) {
    float x[4];
    load_features<kVector>(key, i, depth, x);
    UNROLL
    for (int c = 0; c < 4; ++c) total += i + c < depth ? query[i + c] * x[c] : 0.0f;
  }
  COUNT_OPERATIONS(2 * depth);
  return total;
}

// One block per head of a row, 128 keys at a time; what was summed so far is scaled when a higher score comes.
KERNEL_OF(128, 4, step_attention)(StepAttentionArguments a) {
  SHARED(float, query, [128]);
  SHARED(float, weights, [kStepThreads]);
  SHARED(float, board, [kStepThreads]);
  const int64_t row = blockIdx.x / a.heads;
  const int head = static_cast<int>(blockIdx.x) % a.heads, thread = threadIdx.x, column = head * a.depth;
  const void* const* keys = a.keys + a.first[row];
  const int count = a.counts[row];
  if (thread < a.depth)
    query[thread] = to_float(static_cast<const ComputeT*>(a.query)[row * a.query_stride + column + thread]);
  __syncthreads();

  // For the sums, threads are in groups of `depth`: a group strides over the keys, a thread has one feature.
  const int groups = kStepThreads / a.depth, group = thread / a.depth, feature = thread % a.depth;
  const float factor = 1.0f / sqrtf(static_cast<float>(a.depth));
  float highest = -3e38f, partition = 0, sum = 0;
  for (int first = 0; first < count; first += kStepThreads) {
    float score = -3e38f;
    if (first + thread < count) {
      const ComputeT* key = static_cast<const ComputeT*>(keys[first + thread]) + a.key_offset + column;
      score =
          factor * (a.vectors ? inner_product<true>(query, key, a.depth) : inner_product<false>(query, key, a.depth));
    }
    const float before = highest;
    highest = fmaxf(before, block_max<kStepWarps>(score, board));
    const float weight = first + thread < count ? expf(score - highest) : 0.0f, keep = expf(before - highest);
    weights[thread] = weight;
    partition = partition * keep + block_sum<kStepWarps>(weight, board);  // a barrier: the weights are there
    sum *= keep;
    if (group < groups) {
      const int end = min(kStepThreads, count - first);
      for (int j = group; j < end; j += groups) {
        const ComputeT* value = static_cast<const ComputeT*>(keys[first + j]) + a.value_offset + column;
        sum += weights[j] * to_float(value[feature]);
      }
      COUNT_OPERATIONS(2 * (end / groups));
    }
    __syncthreads();
  }
  board[thread] = sum;
  __syncthreads();
  if (thread < a.depth) {
    float total = 0;
    for (int g = 0; g < groups; ++g) total += board[g * a.depth + thread];
    from_float(total / partition, static_cast<ComputeT*>(a.output)[(row * a.heads + head) * a.depth + thread]);
  }
  if (a.partitions != nullptr && thread == 0) {
    a.partitions[(row * a.heads + head) * 2] = highest;
    a.partitions[(row * a.heads + head) * 2 + 1] = partition;
  }
}

// One block per row, after step_attention: the key with the largest weight of all heads together.
KERNEL(step_alignment)(StepAttentionArguments a) {
  SHARED(float, query, [kWidestQuery]);
  SHARED(Numbered, tops, [kBlockWarps]);
  const int64_t row = blockIdx.x;
  for (int i = threadIdx.x; i < a.heads * a.depth; i += kBlockThreads) {
    query[i] = to_float(static_cast<const ComputeT*>(a.query)[row * a.query_stride + i]);
  }
  __syncthreads();
  const float factor = 1.0f / sqrtf(static_cast<float>(a.depth));
  Numbered top = {-1.0f, kNoNumber};
  for (int j = threadIdx.x; j < a.counts[row]; j += kBlockThreads) {
    const ComputeT* key = static_cast<const ComputeT*>(a.keys[a.first[row] + j]) + a.key_offset;
    float total = 0;
    for (int head = 0; head < a.heads; ++head) {
      const int column = head * a.depth;
      const float score = factor * (a.vectors ? inner_product<true>(query + column, key + column, a.depth)
                                              : inner_product<false>(query + column, key + column, a.depth));
      const float* partition = a.partitions + (row * a.heads + head) * 2;
      total += expf(score - partition[0]) / partition[1];
    }
    if (total > top.value) top = {total, j};
  }
  top = block_first(top, tops);
  if (threadIdx.x == 0) a.aligned[row] = top.number == kNoNumber ? 0 : top.number;
}

// One block per row. Each thread knows the best of its part; the best of these is taken, and its thread looks for its
// next one.
KERNEL(best_tokens)(BestTokensArguments a) {
  SHARED(Numbered, tops, [kBlockWarps]);
  SHARED(float, sums, [kBlockWarps]);
  const int64_t row = blockIdx.x;
  const float* logits = a.logits + row * a.vocabulary;
  const int thread = threadIdx.x;
  SoftmaxPart part;
  Numbered own = {-infinity(), kNoNumber};
  for (int i = thread; i < a.vocabulary; i += kBlockThreads) {
    const float x = logits[i];
    part.add(x, i);
    if (x > own.value) own = {x, i};
  }
  Numbered next = block_first(own, tops);
  const float highest = next.value;
  const float log_partition = highest + logf(block_sum(part.total * expf(part.top.value - highest), sums));
  if (thread == 0) a.log_partition[row] = log_partition;
  for (int place = 0; place < a.count; ++place) {
    const bool found = next.number != kNoNumber;
    if (thread == 0) {
      a.tokens[row * a.count + place] = found ? next.number : -1;
      a.log_probabilities[row * a.count + place] = next.value - log_partition;
    }
    if (found && next.number % kBlockThreads == thread) {
      own = {-infinity(), kNoNumber};
      for (int i = thread; i < a.vocabulary; i += kBlockThreads) {
        const float x = logits[i];
        if (x > own.value && precedes(next, {x, i})) own = {x, i};
      }
    }
    next = block_first(own, tops);
  }
}

KERNEL(add_probabilities)(AddProbabilitiesArguments a) {
  const int64_t size = a.rows * a.vocabulary, step = static_cast<int64_t>(gridDim.x) * kBlockThreads;
  for (int64_t i = static_cast<int64_t>(blockIdx.x) * kBlockThreads + threadIdx.x; i < size; i += step) {
    a.probabilities[i] += a.share * expf(a.logits[i] - a.log_partition[i / a.vocabulary]);
  }
}

KERNEL(take_logarithm)(LogarithmArguments a) {
  const int64_t step = static_cast<int64_t>(gridDim.x) * kBlockThreads;
  for (int64_t i = static_cast<int64_t>(blockIdx.x) * kBlockThreads + threadIdx.x; i < a.count; i += step) {
    a.values[i] = logf(a.values[i]);
  }
}
