/* Sums in the order of their terms: resamples of MacroF. The readable form is in clirbench/metrics/kernels.py. */

#include <float.h>
#include <math.h>

#include "arrays.h"

#if FLT_EVAL_METHOD != 0
#error "sums would be rounded otherwise than numpy's"
#endif

/* MacroF or MicroF of every resample: one pass over the types' columns (three each, CSC), `beta` squared. How often
   each sample holds each segment, (segments, samples), is in `draws`, or else (null) in `weights`: small numbers, of
   which sums are whole, take a quarter of the time. `scores` (samples,). */
int64_t resampled(const int32_t *starts, int64_t columns, const int32_t *segments, const double *counts, int64_t n,
                  const uint8_t *draws, const double *weights, int64_t n_segments, int64_t samples, double beta,
                  double k, int64_t micro, double *scores)
{
    if (columns < 0 || samples < 0 || starts[0] < 0 || starts[columns] > n || !are_below(segments, n, n_segments))
        return -1;
    double all = 0;
    for (int64_t i = 0; i < n; i++)
        all += counts[i] >= 0 ? counts[i] : INFINITY;
    for (int64_t column = 0; column < columns; column++)
        if (starts[column] > starts[column + 1])
            return -1;
    if (draws && !(all < INT32_MAX / 255))
        return -1;
    double *sums = calloc((size_t)(4 * samples + 1), sizeof(double)), *below = sums + 3 * samples;
    int32_t *whole = calloc((size_t)samples + 1, sizeof(int32_t));
    memset(scores, 0, (size_t)samples * sizeof(double));
    for (int64_t type = 0; sums && whole && type < columns / 3; type++) {
        for (int part = 0; part < 3; part++) {
            double *sum = sums + part * samples;
            memset(sum, 0, (size_t)samples * sizeof(double));
            memset(whole, 0, (size_t)samples * sizeof(int32_t));
            for (int64_t at = starts[3 * type + part]; at < starts[3 * type + part + 1]; at++) {
                int64_t row = segments[at] * samples;
                double count = counts[at];
                if (!draws)
                    for (int64_t r = 0; r < samples; r++)
                        sum[r] += count * weights[row + r];
                else if (count == 1)
                    for (int64_t r = 0; r < samples; r++)
                        whole[r] += draws[row + r];
                else
                    for (int64_t r = 0; r < samples; r++)
                        whole[r] += (int32_t)count * draws[row + r];
            }
            for (int64_t r = 0; draws && r < samples; r++)
                sum[r] = whole[r];
        }
        for (int64_t r = 0; r < samples; r++) {
            double refs = sums[r], preds = sums[samples + r], match = sums[2 * samples + r];
            double weight = refs + preds > 0 ? (micro ? refs + k : 1.0) : 0.0;
            double possible = match > 0 ? preds + beta * refs : 1.0; /* not branching: fast */
            scores[r] += weight * (1 + beta) * match / possible;
            below[r] += weight;
        }
    }
    for (int64_t r = 0; sums && r < samples; r++)
        scores[r] = 100.0 * scores[r] / (below[r] > 0 ? below[r] : 1.0);
    int64_t status = sums && whole ? 0 : -2;
    free(sums);
    free(whole);
    return status;
}
