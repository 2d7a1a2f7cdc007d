/* Sums in the order of their terms: resamples of MacroF. The readable form is in clirbench/metrics/kernels.py. */

#include <float.h>
#include <math.h>

#include "arrays.h"

#if FLT_EVAL_METHOD != 0
#error "sums would be rounded otherwise than numpy's"
#endif

enum { MOST = 257 }; /* times a draw of 255: what fits 16 bits */

static void add_held(double *sum, uint16_t *held, int64_t samples)
{
    for (int64_t r = 0; r < samples; r++)
        sum[r] += held[r];
    memset(held, 0, (size_t)samples * sizeof(uint16_t));
}

/* MacroF or MicroF of every resample: one pass over the types' columns (three each, CSC), `beta` squared. How often
   each sample holds each segment, (segments, samples), is in `draws`, where counts are whole, or else (null) in
   `weights`: small numbers take a fifth of the time. `scores` (samples,). */
int64_t resampled(const int32_t *starts, int64_t columns, const int32_t *segments, const double *counts, int64_t n,
                  const uint8_t *draws, const double *weights, int64_t n_segments, int64_t samples, double beta,
                  double k, int64_t micro, double *scores)
{
    if (columns < 0 || samples < 0 || starts[0] < 0 || starts[columns] > n || !are_below(segments, n, n_segments))
        return -1;
    for (int64_t column = 0; column < columns; column++)
        if (starts[column] > starts[column + 1])
            return -1;
    double *sums = calloc((size_t)(5 * samples + 1), sizeof(double)), *below = sums + 3 * samples;
    double *weight = below + samples;
    uint16_t *held = calloc((size_t)samples + 1, sizeof(uint16_t));
    memset(scores, 0, (size_t)samples * sizeof(double));
    for (int64_t type = 0; sums && held && type < columns / 3; type++) {
        const int32_t *ends = starts + 3 * type + 1;
        for (int part = 0; part < 3; part++) {
            double *sum = sums + part * samples, all = 0; /* all: counts whose sums are held */
            memset(sum, 0, (size_t)samples * sizeof(double));
            for (int64_t at = ends[part - 1]; at < ends[part]; at++) {
                int64_t row = segments[at] * samples;
                double count = counts[at];
                if (!draws || !(count >= 0 && count <= MOST)) {
                    for (int64_t r = 0; r < samples; r++)
                        sum[r] += count * (draws ? draws[row + r] : weights[row + r]);
                    continue;
                }
                if (all + count > MOST) {
                    add_held(sum, held, samples);
                    all = 0;
                }
                all += count;
                for (int64_t r = 0; r < samples; r++)
                    held[r] += (uint16_t)((uint16_t)count * draws[row + r]);
            }
            if (all > 0)
                add_held(sum, held, samples);
        }
        for (int64_t r = 0; r < samples; r++) {
            double refs = sums[r], preds = sums[samples + r];
            weight[r] = refs + preds > 0 ? (micro ? refs + k : 1.0) : 0.0;
            below[r] += weight[r];
        }
        if (ends[1] == ends[2])
            continue; /* of a type without a match F is 0 */
        for (int64_t r = 0; r < samples; r++) {
            double refs = sums[r], preds = sums[samples + r], match = sums[2 * samples + r];
            double possible = match > 0 ? preds + beta * refs : 1.0; /* not branching: fast */
            scores[r] += weight[r] * (1 + beta) * match / possible;
        }
    }
    for (int64_t r = 0; sums && r < samples; r++)
        scores[r] = 100.0 * scores[r] / (below[r] > 0 ? below[r] : 1.0);
    int64_t status = sums && held ? 0 : -2;
    free(sums);
    free(held);
    return status;
}
