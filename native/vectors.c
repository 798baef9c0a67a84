// Ranks vectors by cosine. Bytes first, for they are a quarter of the memory to read; the best of
// them again with half-precision floats. The instructions are chosen when it runs: one file is good
// for every processor of its architecture. It needs no library, so it loads everywhere.
//
// Built by native/vectors.build.ts; a test compares this text with what the built files were made of.

#include <stddef.h>
#include <stdint.h>

#define EXPORT __attribute__((visibility("default")))

// The digest of this text: what a built file was made of.
EXPORT const char vectors_source[] = SOURCE_DIGEST;

typedef struct {
  float score;
  uint32_t slot;
} Hit;

// The worst of the kept hits lies at the root, so that it is the one to go. Of two equal scores the
// one with the greater slot is worse: the result does not depend on the order of looking.
static inline int is_worse(Hit a, Hit b) {
  return a.score < b.score || (a.score == b.score && a.slot > b.slot);
}

static void sink(Hit *heap, uint32_t count, uint32_t at, Hit hit) {
  for (;;) {
    uint32_t child = 2 * at + 1;
    if (child >= count) break;
    if (child + 1 < count && is_worse(heap[child + 1], heap[child])) child++;
    if (!is_worse(heap[child], hit)) break;
    heap[at] = heap[child];
    at = child;
  }
  heap[at] = hit;
}

static inline void offer(Hit *heap, uint32_t *count, uint32_t most, Hit hit) {
  if (*count < most) {
    uint32_t at = (*count)++;
    while (at > 0) {
      uint32_t parent = (at - 1) / 2;
      if (!is_worse(hit, heap[parent])) break;
      heap[at] = heap[parent];
      at = parent;
    }
    heap[at] = hit;
  } else if (is_worse(heap[0], hit)) {
    sink(heap, *count, 0, hit);
  }
}

// Rows of a list of slots lie anywhere: those after the next few are read while this one is compared.
enum { AHEAD = 6, CACHE_LINE = 64 };

static inline void fetch_ahead(const int8_t *rows, const float *scales, uint32_t dim,
                               const uint32_t *slots, uint32_t i, uint32_t to) {
  if (to - i <= AHEAD) return;
  if (to - i > 2 * AHEAD) __builtin_prefetch(scales + slots[i + 2 * AHEAD]);
  const int8_t *row = rows + (size_t)slots[i + AHEAD] * dim;
  for (uint32_t n = 0; n < dim; n += CACHE_LINE) __builtin_prefetch(row + n);
}

// Best first.
static void sort_hits(Hit *heap, uint32_t count) {
  for (uint32_t left = count; left > 1; left--) {
    Hit worst = heap[0];
    Hit last = heap[left - 1];
    sink(heap, left - 1, 0, last);
    heap[left - 1] = worst;
  }
}

#if defined(__x86_64__)
#include <immintrin.h>

enum { LEVEL_SSE = 2, LEVEL_AVX2 = 3, LEVEL_AVX512 = 4 };

EXPORT int vectors_level(void) {
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512vnni") && __builtin_cpu_supports("avx512bw")) return LEVEL_AVX512;
  // Every processor with AVX2 has F16C and FMA.
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? LEVEL_AVX2 : LEVEL_SSE;
}

__attribute__((target("sse4.2"))) static inline int32_t dot_sse(const int8_t *a, const int8_t *b,
                                                                uint32_t dim) {
  __m128i x = _mm_setzero_si128(), y = x;
  for (uint32_t i = 0; i < dim; i += 16) {
    __m128i p = _mm_loadu_si128((const __m128i *)(a + i));
    __m128i q = _mm_loadu_si128((const __m128i *)(b + i));
    x = _mm_add_epi32(x, _mm_madd_epi16(_mm_cvtepi8_epi16(p), _mm_cvtepi8_epi16(q)));
    y = _mm_add_epi32(y, _mm_madd_epi16(_mm_cvtepi8_epi16(_mm_srli_si128(p, 8)),
                                        _mm_cvtepi8_epi16(_mm_srli_si128(q, 8))));
  }
  x = _mm_add_epi32(x, y);
  x = _mm_hadd_epi32(x, x);
  x = _mm_hadd_epi32(x, x);
  return _mm_cvtsi128_si32(x);
}

__attribute__((target("avx2"))) static inline int32_t dot_avx2(const int8_t *a, const int8_t *b,
                                                               uint32_t dim) {
  __m256i x = _mm256_setzero_si256(), y = x;
  for (uint32_t i = 0; i < dim; i += 32) {
    x = _mm256_add_epi32(
        x, _mm256_madd_epi16(_mm256_cvtepi8_epi16(_mm_loadu_si128((const __m128i *)(a + i))),
                             _mm256_cvtepi8_epi16(_mm_loadu_si128((const __m128i *)(b + i)))));
    y = _mm256_add_epi32(
        y, _mm256_madd_epi16(_mm256_cvtepi8_epi16(_mm_loadu_si128((const __m128i *)(a + i + 16))),
                             _mm256_cvtepi8_epi16(_mm_loadu_si128((const __m128i *)(b + i + 16)))));
  }
  x = _mm256_add_epi32(x, y);
  __m128i z = _mm_add_epi32(_mm256_castsi256_si128(x), _mm256_extracti128_si256(x, 1));
  z = _mm_hadd_epi32(z, z);
  z = _mm_hadd_epi32(z, z);
  return _mm_cvtsi128_si32(z);
}

// The instruction multiplies unsigned bytes by signed ones: 128 is added to the vectors, and what
// that adds to the result is taken off again.
__attribute__((target("avx512f,avx512bw,avx512vnni"))) static inline int32_t
dot_avx512(const int8_t *a, const int8_t *b, uint32_t dim, int32_t sum_of_b) {
  __m512i x = _mm512_setzero_si512(), y = x, flip = _mm512_set1_epi8((char)0x80);
  for (uint32_t i = 0; i < dim; i += 128) {
    x = _mm512_dpbusd_epi32(x, _mm512_xor_si512(_mm512_loadu_si512(a + i), flip),
                            _mm512_loadu_si512(b + i));
    y = _mm512_dpbusd_epi32(y, _mm512_xor_si512(_mm512_loadu_si512(a + i + 64), flip),
                            _mm512_loadu_si512(b + i + 64));
  }
  return _mm512_reduce_add_epi32(_mm512_add_epi32(x, y)) - 128 * sum_of_b;
}

__attribute__((target("avx2,fma,f16c"))) static float dot_half_avx2(const uint16_t *a,
                                                                    const float *b, uint32_t dim) {
  __m256 x = _mm256_setzero_ps(), y = x;
  for (uint32_t i = 0; i < dim; i += 16) {
    x = _mm256_fmadd_ps(_mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)(a + i))),
                        _mm256_loadu_ps(b + i), x);
    y = _mm256_fmadd_ps(_mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)(a + i + 8))),
                        _mm256_loadu_ps(b + i + 8), y);
  }
  x = _mm256_add_ps(x, y);
  __m128 z = _mm_add_ps(_mm256_castps256_ps128(x), _mm256_extractf128_ps(x, 1));
  z = _mm_hadd_ps(z, z);
  z = _mm_hadd_ps(z, z);
  return _mm_cvtss_f32(z);
}

static inline float half_to_float(uint16_t half) {
  uint32_t sign = (uint32_t)(half & 0x8000) << 16;
  uint32_t exponent = (half >> 10) & 31;
  uint32_t fraction = half & 1023;
  union {
    uint32_t bits;
    float value;
  } out;
  if (exponent == 0) {
    // Too small to be normal: fraction * 2^-24.
    float small = (float)fraction * 5.9604644775390625e-8f;
    return sign ? -small : small;
  }
  out.bits = sign | ((exponent == 31 ? 255 : exponent + 112) << 23) | (fraction << 13);
  return out.value;
}

static float dot_half_plain(const uint16_t *a, const float *b, uint32_t dim) {
  float sum = 0;
  for (uint32_t i = 0; i < dim; i++) sum += half_to_float(a[i]) * b[i];
  return sum;
}

static float dot_half(int level, const uint16_t *a, const float *b, uint32_t dim) {
  return level >= LEVEL_AVX2 ? dot_half_avx2(a, b, dim) : dot_half_plain(a, b, dim);
}

__attribute__((target("avx2,fma,f16c"))) static float quantise_avx2(const uint16_t *from, int8_t *to,
                                                                    uint32_t dim) {
  __m256 most = _mm256_setzero_ps(), sign = _mm256_set1_ps(-0.0f);
  for (uint32_t i = 0; i < dim; i += 8) {
    __m256 value = _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)(from + i)));
    most = _mm256_max_ps(most, _mm256_andnot_ps(sign, value));
  }
  __m128 half = _mm_max_ps(_mm256_castps256_ps128(most), _mm256_extractf128_ps(most, 1));
  half = _mm_max_ps(half, _mm_movehl_ps(half, half));
  half = _mm_max_ss(half, _mm_movehdup_ps(half));
  float greatest = _mm_cvtss_f32(half);
  __m256 by = _mm256_set1_ps(greatest > 0 ? 127.0f / greatest : 0);
  for (uint32_t i = 0; i < dim; i += 8) {
    __m256 value = _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)(from + i)));
    __m256i whole = _mm256_cvtps_epi32(_mm256_mul_ps(value, by));
    __m128i words = _mm_packs_epi32(_mm256_castsi256_si128(whole), _mm256_extracti128_si256(whole, 1));
    _mm_storel_epi64((__m128i *)(to + i), _mm_packs_epi16(words, words));
  }
  return greatest;
}

static float quantise_plain(const uint16_t *from, int8_t *to, uint32_t dim) {
  float greatest = 0;
  for (uint32_t i = 0; i < dim; i++) {
    float value = half_to_float(from[i]);
    if (value < 0) value = -value;
    if (value > greatest) greatest = value;
  }
  float by = greatest > 0 ? 127.0f / greatest : 0;
  for (uint32_t i = 0; i < dim; i++) {
    float value = half_to_float(from[i]) * by;
    to[i] = (int8_t)(value < 0 ? value - 0.5f : value + 0.5f);
  }
  return greatest;
}

static float quantise(int level, const uint16_t *from, int8_t *to, uint32_t dim) {
  return level >= LEVEL_AVX2 ? quantise_avx2(from, to, dim) : quantise_plain(from, to, dim);
}

#define SCAN(NAME, TARGET, DOT)                                                                   \
  __attribute__((target(TARGET))) static uint32_t NAME(                                           \
      const int8_t *rows, const float *scales, uint32_t dim, const int8_t *query,                 \
      int32_t sum_of_query, const uint32_t *slots, const uint32_t *names, uint32_t from,          \
      uint32_t to, Hit *heap, uint32_t count, uint32_t most) {                                    \
    (void)sum_of_query;                                                                           \
    for (uint32_t i = from; i < to; i++) {                                                        \
      if (slots) fetch_ahead(rows, scales, dim, slots, i, to);                                    \
      uint32_t slot = slots ? slots[i] : i;                                                       \
      float scale = scales[slot];                                                                 \
      if (scale == 0) continue;                                                                   \
      const int8_t *row = rows + (size_t)slot * dim;                                              \
      Hit hit = {scale * (float)(DOT), names ? names[slot] : slot};                               \
      offer(heap, &count, most, hit);                                                             \
    }                                                                                             \
    return count;                                                                                 \
  }
SCAN(scan_sse, "sse4.2", dot_sse(row, query, dim))
SCAN(scan_avx2, "avx2", dot_avx2(row, query, dim))
SCAN(scan_avx512, "avx512f,avx512bw,avx512vnni", dot_avx512(row, query, dim, sum_of_query))

#define CHOOSE(level) ((level) >= LEVEL_AVX512 ? scan_avx512 : (level) >= LEVEL_AVX2 ? scan_avx2 : scan_sse)

#elif defined(__aarch64__)
#include <arm_neon.h>

EXPORT int vectors_level(void) { return 1; }

static inline int32_t dot_neon(const int8_t *a, const int8_t *b, uint32_t dim) {
  int32x4_t x = vdupq_n_s32(0), y = x;
  for (uint32_t i = 0; i < dim; i += 32) {
    int8x16_t p = vld1q_s8(a + i), q = vld1q_s8(b + i);
    int8x16_t r = vld1q_s8(a + i + 16), s = vld1q_s8(b + i + 16);
    // Two products of at most 127 * 127 fit into 16 bits.
    int16x8_t low = vmull_s8(vget_low_s8(p), vget_low_s8(q));
    int16x8_t high = vmull_s8(vget_low_s8(r), vget_low_s8(s));
    x = vpadalq_s16(x, vmlal_s8(low, vget_high_s8(p), vget_high_s8(q)));
    y = vpadalq_s16(y, vmlal_s8(high, vget_high_s8(r), vget_high_s8(s)));
  }
  return vaddvq_s32(vaddq_s32(x, y));
}

static float dot_half(int level, const uint16_t *a, const float *b, uint32_t dim) {
  (void)level;
  float32x4_t x = vdupq_n_f32(0), y = x;
  for (uint32_t i = 0; i < dim; i += 8) {
    float16x8_t h = vreinterpretq_f16_u16(vld1q_u16(a + i));
    x = vfmaq_f32(x, vcvt_f32_f16(vget_low_f16(h)), vld1q_f32(b + i));
    y = vfmaq_f32(y, vcvt_high_f32_f16(h), vld1q_f32(b + i + 4));
  }
  return vaddvq_f32(vaddq_f32(x, y));
}

static float quantise(int level, const uint16_t *from, int8_t *to, uint32_t dim) {
  (void)level;
  float32x4_t most = vdupq_n_f32(0);
  for (uint32_t i = 0; i < dim; i += 8) {
    float16x8_t h = vreinterpretq_f16_u16(vld1q_u16(from + i));
    most = vmaxq_f32(most, vmaxq_f32(vabsq_f32(vcvt_f32_f16(vget_low_f16(h))),
                                     vabsq_f32(vcvt_high_f32_f16(h))));
  }
  float greatest = vmaxvq_f32(most);
  float by = greatest > 0 ? 127.0f / greatest : 0;
  for (uint32_t i = 0; i < dim; i += 8) {
    float16x8_t h = vreinterpretq_f16_u16(vld1q_u16(from + i));
    int32x4_t low = vcvtnq_s32_f32(vmulq_n_f32(vcvt_f32_f16(vget_low_f16(h)), by));
    int32x4_t high = vcvtnq_s32_f32(vmulq_n_f32(vcvt_high_f32_f16(h), by));
    vst1_s8(to + i, vmovn_s16(vcombine_s16(vmovn_s32(low), vmovn_s32(high))));
  }
  return greatest;
}

static uint32_t scan_neon(const int8_t *rows, const float *scales, uint32_t dim,
                          const int8_t *query, int32_t sum_of_query, const uint32_t *slots,
                          const uint32_t *names, uint32_t from, uint32_t to, Hit *heap,
                          uint32_t count, uint32_t most) {
  (void)sum_of_query;
  for (uint32_t i = from; i < to; i++) {
    if (slots) fetch_ahead(rows, scales, dim, slots, i, to);
    uint32_t slot = slots ? slots[i] : i;
    float scale = scales[slot];
    if (scale == 0) continue;
    Hit hit = {scale * (float)dot_neon(rows + (size_t)slot * dim, query, dim),
               names ? names[slot] : slot};
    offer(heap, &count, most, hit);
  }
  return count;
}

#define CHOOSE(level) ((void)(level), scan_neon)
#else
#error "No instructions for this processor"
#endif

// Rows that stay in the cache while every query looks at them.
enum { BLOCK = 2048 };

static int32_t sum_bytes(const int8_t *row, uint32_t dim) {
  int32_t sum = 0;
  for (uint32_t i = 0; i < dim; i++) sum += row[i];
  return sum;
}

// Leaves the best `most` of the `found` hits at the start of the heap, by half-precision floats, best
// first, and returns how many. Slots from `end` on are left out: a writer may have added them to a list
// before this process has mapped their halves.
static uint32_t rank_again(int level, const uint16_t *halves, uint32_t end, uint32_t dim,
                           const float *query, Hit *heap, uint32_t found, uint32_t most) {
  uint32_t kept = 0;
  for (uint32_t i = 0; i < found; i++) {
    const uint16_t *row = halves + (size_t)heap[i].slot * dim;
    if (heap[i].slot < end)
      for (uint32_t n = 0; n < dim; n += CACHE_LINE / 2) __builtin_prefetch(row + n);
  }
  // Read before it is written: the better ones are gathered at the start of the same memory.
  for (uint32_t i = 0; i < found; i++) {
    Hit hit = heap[i];
    if (hit.slot >= end) continue;
    hit.score = dot_half(level, halves + (size_t)hit.slot * dim, query, dim);
    offer(heap, &kept, most, hit);
  }
  sort_hits(heap, kept);
  return kept;
}

// Ranks `total` rows (those of `slots`, or all from 0) for each query; there are `end` of them. `dim` is a
// multiple of 128; `queries8` and `queries` are the query vectors as bytes and as floats, one after the other. `heaps`
// has room for `wide` hits per query: so many are ranked again by half-precision floats. Each query's
// best `most` lie then at the start of its heap, best first; `counts` says how many.
EXPORT void vectors_rank(int32_t level, const int8_t *rows, const float *scales,
                         const uint16_t *halves, uint32_t end, uint32_t dim, const int8_t *queries8,
                         const float *queries, uint32_t query_count, const uint32_t *slots,
                         uint32_t total, uint32_t wide, uint32_t most, Hit *heaps,
                         uint32_t *counts) {
  for (uint32_t q = 0; q < query_count; q++) counts[q] = 0;
  uint32_t step = query_count > 1 ? BLOCK : total;
  for (uint32_t from = 0; from < total; from += step) {
    uint32_t to = total - from < step ? total : from + step;
    for (uint32_t q = 0; q < query_count; q++) {
      const int8_t *query = queries8 + (size_t)q * dim;
      counts[q] = CHOOSE(level)(rows, scales, dim, query, sum_bytes(query, dim), slots, NULL, from,
                                to, heaps + (size_t)q * wide, counts[q], wide);
    }
  }
  for (uint32_t q = 0; q < query_count; q++) {
    counts[q] = rank_again(level, halves, end, dim, queries + (size_t)q * dim,
                           heaps + (size_t)q * wide, counts[q], most);
  }
}

// Writes the `most` nearest of the lists, whose centroids are given, best first; returns how many.
EXPORT uint32_t vectors_near_lists(int32_t level, const int8_t *centroids, const float *scales,
                                   uint32_t count, uint32_t dim, const int8_t *query8,
                                   uint32_t most, Hit *near) {
  uint32_t found = CHOOSE(level)(centroids, scales, dim, query8, sum_bytes(query8, dim), NULL, NULL,
                                 0, count, near, 0, most);
  sort_hits(near, found);
  return found;
}

// Entries of a block of an inverted file, and those that are picked before they are compared.
enum { ENTRIES = 64, MOST_PICKED = 1024 };

// Appends those of the entries `from` to `to` whose slot is allowed; returns how many there are then.
static uint32_t pick(const uint32_t *slots, const uint8_t *allowed, uint32_t end, uint32_t from,
                     uint32_t to, uint32_t *picked, uint32_t count) {
  for (uint32_t i = from; i < to; i++) {
    uint32_t slot = slots[i] < end ? slots[i] : 0;
    picked[count] = i;
    count += (allowed[slot / 8] >> (slot % 8)) & (slots[i] < end);
  }
  return count;
}

// Ranks the entries of an inverted file for one query, from the nearest list on: `least` of them, then
// until none of the last `patience` was better than the worst hit so far, though no more lists once
// `budget` of them were compared. A list is a chain of blocks from `first` to `last`, of which the last
// has `used` entries; `next` tells the block after each of the `blocks` that are mapped. `slots` tells the
// slot of an entry, by which `halves` lie; there are `end` of them. `allowed` has a bit for each slot:
// others are not compared; NULL: all are. Returns how many hits lie at the start of the heap.
EXPORT uint32_t vectors_rank_lists(int32_t level, const int8_t *entries, const float *scales,
                                   const uint32_t *slots, const uint32_t *next, uint32_t blocks,
                                   const uint32_t *first, const uint32_t *last,
                                   const uint32_t *used, const Hit *near, uint32_t near_count,
                                   const uint8_t *allowed, const uint16_t *halves, uint32_t end,
                                   uint32_t dim, const int8_t *query8, const float *query,
                                   uint32_t least, uint32_t patience, uint32_t budget,
                                   uint32_t wide, uint32_t most, Hit *heap) {
  uint32_t found = 0, compared = 0, changed = 0, count = 0, picked[MOST_PICKED + ENTRIES];
  int32_t sum = sum_bytes(query8, dim);
  for (uint32_t n = 0; n < near_count && compared < budget; n++) {
    if (compared >= least && compared - changed >= patience) break;
    uint32_t before = found;
    float worst = found > 0 ? heap[0].score : 0;
    uint32_t list = near[n].slot, end_block = last[list], block = first[list];
    // A block that another process has just added may be beyond the mapping.
    while (block > 0 && block < blocks) {
      uint32_t from = block * ENTRIES, to = from + (block == end_block ? used[list] : ENTRIES);
      uint32_t after = block == end_block ? 0 : next[block];
      for (uint32_t line = 0; line < ENTRIES; line += CACHE_LINE / 4)
        __builtin_prefetch(slots + (size_t)after * ENTRIES + line);
      if (allowed) {
        compared -= count;
        count = pick(slots, allowed, end, from, to, picked, count);
        compared += count;
      } else {
        found = CHOOSE(level)(entries, scales, dim, query8, sum, NULL, slots, from, to, heap, found,
                              wide);
        compared += to - from;
      }
      if (count >= MOST_PICKED) {
        found = CHOOSE(level)(entries, scales, dim, query8, sum, picked, slots, 0, count, heap,
                              found, wide);
        count = 0;
      }
      block = after;
    }
    if (found != before || (found > 0 && heap[0].score != worst)) changed = compared;
  }
  found = CHOOSE(level)(entries, scales, dim, query8, sum, picked, slots, 0, count, heap, found,
                        wide);
  return rank_again(level, halves, end, dim, query, heap, found, most);
}

// Sets a bit for each slot below `end`; `packed` are big-endian integers of four bytes.
EXPORT void vectors_allow(const uint8_t *packed, uint32_t count, uint32_t end, uint8_t *allowed) {
  for (uint32_t i = 0; i < count; i++) {
    const uint8_t *at = packed + (size_t)i * 4;
    uint32_t slot = (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
    if (slot < end) allowed[slot / 8] |= (uint8_t)(1 << (slot % 8));
  }
}

// Groups of centroids that are compared with a row.
enum { MOST_GROUPS = 16 };

// Writes for each of the rows `from` to `to` which centroid is the nearest. The centroids of a group g
// are those from starts[g] to starts[g + 1]; only those of the `breadth` nearest groups are compared.
EXPORT void vectors_assign(int32_t level, const int8_t *rows, uint32_t dim, uint32_t from,
                           uint32_t to, const int8_t *groups, const float *group_scales,
                           uint32_t group_count, const uint32_t *starts, const int8_t *centroids,
                           const float *centroid_scales, uint32_t breadth, uint32_t *nearest) {
  Hit near[MOST_GROUPS];
  if (breadth > MOST_GROUPS) breadth = MOST_GROUPS;
  for (uint32_t i = from; i < to; i++) {
    const int8_t *row = rows + (size_t)i * dim;
    int32_t sum = sum_bytes(row, dim);
    uint32_t near_count = CHOOSE(level)(groups, group_scales, dim, row, sum, NULL, NULL, 0,
                                        group_count, near, 0, breadth);
    Hit best = {0, 0};
    uint32_t found = 0;
    for (uint32_t g = 0; g < near_count; g++) {
      uint32_t group = near[g].slot;
      found = CHOOSE(level)(centroids, centroid_scales, dim, row, sum, NULL, NULL, starts[group],
                            starts[group + 1], &best, found, 1);
    }
    nearest[i - from] = best.slot;
  }
}

// Adds each row to the sum of its centroid.
EXPORT void vectors_sum(const int8_t *rows, const float *scales, uint32_t dim, uint32_t count,
                        const uint32_t *nearest, float *sums) {
  for (uint32_t i = 0; i < count; i++) {
    const int8_t *row = rows + (size_t)i * dim;
    float *sum = sums + (size_t)nearest[i] * dim;
    for (uint32_t n = 0; n < dim; n++) sum[n] += scales[i] * (float)row[n];
  }
}

// Copies the rows of `from` to those of `to`: their numbers are given, in pairs.
EXPORT void vectors_copy(const int8_t *from, int8_t *to, uint32_t dim, const uint32_t *pairs,
                         uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    const uint64_t *row = (const uint64_t *)(from + (size_t)pairs[2 * i] * dim);
    uint64_t *copy = (uint64_t *)(to + (size_t)pairs[2 * i + 1] * dim);
    for (uint32_t n = 0; n < dim / 8; n++) copy[n] = row[n];
  }
}

// Bytes of rows of half-precision floats: the greatest value becomes 127. `scales` gives the value of
// one; a row of zeros has the scale 0.
EXPORT void vectors_quantise(int32_t level, const uint16_t *halves, int8_t *rows, float *scales,
                             uint32_t dim, uint32_t count) {
  for (uint32_t row = 0; row < count; row++) {
    size_t at = (size_t)row * dim;
    scales[row] = quantise(level, halves + at, rows + at, dim) / 127.0f;
  }
}
