/* Ranked lists: BM25's, and how alike two are. The readable forms are in clirbench/retrieval/bm25.py and
   clirbench/measures/rbo.py; every sum is in the order of its terms. */

#include <float.h>

#include "arrays.h"

#if FLT_EVAL_METHOD != 0
#error "sums would be rounded otherwise than numpy's"
#endif

static int ascending(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Bring the k smallest of n keys before the others (Hoare's selection). */
static void select_smallest(uint64_t *keys, int64_t n, int64_t k)
{
    for (int64_t low = 0, high = n - 1; low < high;) {
        uint64_t pivot = keys[low + (high - low) / 2];
        int64_t i = low, j = high;
        while (i <= j) {
            while (keys[i] < pivot)
                i++;
            while (keys[j] > pivot)
                j--;
            if (i <= j) {
                uint64_t held = keys[i];
                keys[i++] = keys[j];
                keys[j--] = held;
            }
        }
        if (k - 1 <= j)
            high = j;
        else if (k - 1 >= i)
            low = i;
        else
            return;
    }
}

/* For each topic the first `depth` documents by the sum of w - w / (1 + tf * norm), each a float, as double; equal sums
   by `id_rank`, whose inverse is `by_rank`. `lists` are offsets of topics among `terms` and `weights`, `starts` those of
   all terms among postings. Lists follow each other in `ranked` and `scores` (room for `room`), `ends` says where each
   ends, `matched` how many documents it was cut from. Returns the number of documents written. */
int64_t rank_topics(const int64_t *lists, int64_t topics, const int32_t *terms, const float *weights, int64_t n_asked,
                    const int64_t *starts, int64_t n_terms, const int32_t *documents, const int32_t *counts, int64_t n,
                    const float *norms, const int32_t *id_rank, const int32_t *by_rank, int64_t n_documents,
                    int64_t depth, int32_t *ranked, float *scores, int64_t room, int64_t *ends, int64_t *matched)
{
    if (!are_offsets(lists, topics, n_asked) || !are_offsets(starts, n_terms, n) || !are_below(terms, n_asked, n_terms)
        || !are_below(documents, n, n_documents) || !are_below(id_rank, n_documents, n_documents)
        || !are_below(by_rank, n_documents, n_documents) || depth < 0)
        return -1;
    double *total = malloc((size_t)(n_documents + 1) * sizeof(double));
    int32_t *found = malloc((size_t)(n_documents + 1) * sizeof(int32_t));
    uint64_t *keys = malloc((size_t)(n_documents + 1) * sizeof(uint64_t));
    uint8_t *seen = calloc((size_t)n_documents + 1, 1);
    int64_t written = total && found && keys && seen ? 0 : -2;
    for (int64_t topic = 0; written >= 0 && topic < topics; topic++) {
        int64_t held = 0;
        for (int64_t at = lists[topic]; at < lists[topic + 1]; at++) {
            float weight = weights[at];
            for (int64_t posting = starts[terms[at]]; posting < starts[terms[at] + 1]; posting++) {
                int32_t document = documents[posting];
                float score = weight - weight / (1.0f + (float)counts[posting] * norms[document]);
                if (seen[document])
                    total[document] += score;
                else {
                    seen[document] = 1;
                    found[held++] = document;
                    total[document] = score;
                }
            }
        }
        for (int64_t i = 0; i < held; i++) {
            float score = (float)total[found[i]];
            uint32_t bits;
            memcpy(&bits, &score, sizeof bits);
            if (!(score >= 0))
                written = -1;
            keys[i] = (uint64_t)(UINT32_MAX - bits) << 32 | (uint32_t)id_rank[found[i]];
            seen[found[i]] = 0;
        }
        int64_t kept = held < depth ? held : depth;
        if (written < 0 || kept > room - written) {
            written = -1;
            break;
        }
        if (kept < held)
            select_smallest(keys, held, kept);
        qsort(keys, (size_t)kept, sizeof(uint64_t), ascending);
        for (int64_t i = 0; i < kept; i++, written++) {
            uint32_t bits = UINT32_MAX - (uint32_t)(keys[i] >> 32);
            memcpy(scores + written, &bits, sizeof bits);
            ranked[written] = by_rank[(uint32_t)keys[i]];
        }
        ends[topic] = written;
        matched[topic] = held;
    }
    free(total);
    free(found);
    free(keys);
    free(seen);
    return written;
}

/* RBO, extrapolated and without ties, of each topic's two lists: where each begins and ends among all. `ordinal` says
   which document of the other side one of ours is, at least `n_other` where it is none. `weights` are p^d. */
int64_t overlaps(const int32_t *ours, const int64_t *begins, const int64_t *ends, int64_t n, const int64_t *ordinal,
                 int64_t n_ours, const int32_t *theirs, const int64_t *from, const int64_t *to, int64_t n_theirs,
                 int64_t n_other, int64_t topics, double p, const double *weights, int64_t depth, double *values)
{
    if (topics < 0 || depth < 1 || !are_below(ours, n, n_ours) || !are_below(theirs, n_theirs, n_other))
        return -1;
    for (int64_t i = 0; i < topics; i++)
        if (begins[i] < 0 || begins[i] > ends[i] || ends[i] > n || from[i] < 0 || from[i] > to[i] || to[i] > n_theirs)
            return -1;
    int64_t *at = calloc((size_t)n_other + 1, sizeof(int64_t)), *new = calloc((size_t)depth + 1, sizeof(int64_t));
    for (int64_t topic = 0; at && new && topic < topics; topic++) {
        const int32_t *x = ours + begins[topic], *y = theirs + from[topic];
        int64_t n_x = ends[topic] - begins[topic], n_y = to[topic] - from[topic];
        n_x = n_x < depth ? n_x : depth;
        n_y = n_y < depth ? n_y : depth;
        int64_t shorter = n_x < n_y ? n_x : n_y, longer = n_x < n_y ? n_y : n_x, shared = 0;
        for (int64_t i = 0; i < n_y; i++)
            at[y[i]] = i + 1;
        for (int64_t i = 0; i < n_x; i++) {
            int64_t other = ordinal[x[i]], rank = other >= 0 && other < n_other ? at[other] : 0;
            if (rank)
                new[rank > i + 1 ? rank : i + 1]++;
        }
        for (int64_t i = 0; i < n_y; i++)
            at[y[i]] = 0;
        double sum = 0, agreement = 0, of_shorter = 0;
        for (int64_t d = 1; d <= longer; d++) {
            shared += new[d];
            new[d] = 0;
            agreement = (double)shared / (double)d;
            if (d == shorter)
                of_shorter = agreement;
            else if (d > shorter)
                agreement += (double)(d - shorter) * of_shorter / (double)d;
            sum += agreement * weights[d - 1];
        }
        values[topic] = shorter ? (1 - p) / p * sum + agreement * weights[longer - 1] : 0;
    }
    int64_t status = at && new ? 0 : -2;
    free(at);
    free(new);
    return status;
}
