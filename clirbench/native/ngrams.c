/* n-gram matches and counts of types, segment by segment. The readable form is in clirbench/metrics/kernels.py. */

#include "arrays.h"

enum { RUN = 12 };

/* How symbols are packed: `ids` numbers them from 1 and has room for `size`, the last for all others. */
struct shape {
    const int32_t *ids;
    int64_t size, order, bits, side;
};

static int64_t bits_of(int64_t number)
{
    return number > 0 ? 64 - __builtin_clzll((uint64_t)number) : 0;
}

static int fits(struct shape of, int64_t width)
{
    if (of.size < 1 || of.order < 1 || of.bits < 1 || of.bits > 31 || of.side > 20 ||
        of.order > (width - of.side) / of.bits)
        return 0;
    for (int64_t i = 0; i < of.size; i++)
        if (of.ids[i] < 1 || of.ids[i] >> of.bits)
            return 0;
    return 1;
}

static int64_t longest(const int64_t *offsets, int64_t lines)
{
    int64_t most = 0;
    for (int64_t line = 0; line < lines; line++)
        most = offsets[line + 1] - offsets[line] > most ? offsets[line + 1] - offsets[line] : most;
    return most;
}

#define KEY uint64_t
#define NAME(name) name##_of_64
#include "keys.h"
#undef KEY
#undef NAME
#define KEY unsigned __int128
#define NAME(name) name##_of_128
#include "keys.h"
#undef KEY
#undef NAME

/* REFS, PREDS and MATCH (columns 3t, 3t + 1, 3t + 2 of type t) of each segment, as the parts of a CSR matrix without
   zeros; returns how many there are. `values` and `columns` have room for three of each token. */
int64_t count_types(const int32_t *ours, int64_t n_ours, const int64_t *our_offsets, const int32_t *theirs,
                    int64_t n_theirs, const int64_t *their_offsets, int64_t segments, double *values, int32_t *columns,
                    int32_t *begins)
{
    if (!are_offsets(our_offsets, segments, n_ours) || !are_offsets(their_offsets, segments, n_theirs) ||
        !are_below(ours, n_ours, INT32_MAX / 3) || !are_below(theirs, n_theirs, INT32_MAX / 3))
        return -1;
    int64_t rooms[2] = {longest(our_offsets, segments) + 1, longest(their_offsets, segments) + 1}, written = 0;
    uint64_t *types = malloc((size_t)(2 * (rooms[0] + rooms[1])) * sizeof(uint64_t));
    if (!types)
        return -2;
    begins[0] = 0;
    for (int64_t segment = 0; segment < segments; segment++) {
        int64_t preds = our_offsets[segment + 1] - our_offsets[segment], all = preds;
        for (int64_t i = 0; i < preds; i++)
            types[i] = 2 * (uint64_t)(uint32_t)ours[our_offsets[segment] + i];
        for (int64_t i = their_offsets[segment]; i < their_offsets[segment + 1]; i++)
            types[all++] = 2 * (uint64_t)(uint32_t)theirs[i] + 1;
        sort_of_64(types, types + rooms[0] + rooms[1], all);
        for (int64_t i = 0; i < all;) {
            uint64_t type = types[i] >> 1;
            int64_t counts[3] = {0, 0, 0};
            for (; i < all && types[i] >> 1 == type; i++)
                counts[~types[i] & 1]++;
            counts[2] = counts[0] < counts[1] ? counts[0] : counts[1];
            for (int part = 0; part < 3; part++)
                if (counts[part]) {
                    values[written] = (double)counts[part];
                    columns[written++] = (int32_t)(3 * type) + part;
                }
        }
        begins[segment + 1] = (int32_t)written;
    }
    free(types);
    return written;
}
