/* Characters and words by their numbers. The readable form is in clirbench/metrics/kernels.py. */

#include "arrays.h"

/* Keep the code points whose kind is not `white`; returns how many, `first` is where each line begins among them. */
int64_t without_white(const uint32_t *codes, int64_t n, const int64_t *offsets, int64_t lines, const uint8_t *kinds,
                      int64_t size, int64_t white, int32_t *kept, int64_t *first)
{
    if (!are_offsets(offsets, lines, n) || size < 1)
        return -1;
    int64_t written = 0;
    first[0] = 0;
    for (int64_t line = 0; line < lines; line++) {
        for (int64_t i = offsets[line]; i < offsets[line + 1]; i++) {
            kept[written] = (int32_t)codes[i];
            written += kinds[codes[i] < size ? codes[i] : size - 1] != white;
        }
        first[line + 1] = written;
    }
    return written;
}

static uint64_t hash_of(const uint32_t *word, int64_t length, uint64_t seed)
{
    uint64_t hash = seed;
    for (int64_t i = 0; i < length; i++) {
        hash = (hash ^ word[i]) * UINT64_C(0x9E3779B97F4A7C15);
        hash ^= hash >> 32;
    }
    return hash;
}

/* The number of the word that each token is, from its start to its end; one that is no word becomes the next. Of words,
   `count` of them, there is room for `most`, in `known` for `room` code points: returns how many tokens it sufficed.
   `slots`, a power of two and more than `most`, hold numbers of words or -1. */
int64_t number_words(const uint32_t *codes, int64_t n, const int32_t *starts, const int32_t *ends, int64_t tokens,
                     uint32_t *known, int64_t room, int64_t *offsets, int64_t most, int64_t seed, int32_t *slots,
                     int64_t size, int64_t *count, int32_t *numbers)
{
    int64_t words = *count, token = 0;
    if (words < 0 || words > most || size <= most || size & (size - 1) || !are_offsets(offsets, words, room))
        return -1;
    for (; token < tokens; token++) {
        if (starts[token] < 0 || ends[token] < starts[token] || ends[token] > n)
            return -1;
        int64_t length = ends[token] - starts[token], probes = 0;
        uint64_t slot = hash_of(codes + starts[token], length, (uint64_t)seed);
        int32_t word;
        while ((word = slots[slot &= (uint64_t)size - 1]) >= 0) {
            if (word >= words || probes++ > size)
                return -1;
            if (offsets[word + 1] - offsets[word] == length &&
                !memcmp(known + offsets[word], codes + starts[token], (size_t)length * sizeof(uint32_t)))
                break;
            slot++;
        }
        if (word < 0) {
            if (words == most || length > room - offsets[words])
                break;
            memcpy(known + offsets[words], codes + starts[token], (size_t)length * sizeof(uint32_t));
            offsets[words + 1] = offsets[words] + length;
            slots[slot] = word = (int32_t)words++;
        }
        numbers[token] = word;
    }
    *count = words;
    return token;
}
