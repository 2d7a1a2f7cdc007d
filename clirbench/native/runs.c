/* Lines of run files. The readable form is in clirbench/files/trec.py. */

#include "arrays.h"

static uint8_t *put_digits(uint8_t *to, int64_t number, int least)
{
    uint8_t held[20];
    int n = 0;
    for (; number || n < least; number /= 10)
        held[n++] = (uint8_t)('0' + number % 10);
    while (n)
        *to++ = held[--n];
    return to;
}

/* The fewest decimals that read back as the same float; null for scores that may be written with an exponent. */
static uint8_t *put_score(uint8_t *to, float score)
{
    int64_t power = 1;
    for (int places = 0; score >= 0.01 && score < 1e5 && places < 12; places++, power *= 10) {
        double exact = (double)score * (double)power; /* of 24 bits and 28, so it is not rounded */
        int64_t near = (int64_t)exact;
        double rest = exact - (double)near;
        near += rest > 0.5 || (rest == 0.5 && near % 2);
        if ((float)((double)near / (double)power) != score)
            continue;
        to = put_digits(to, near / power, 1);
        *to++ = '.';
        return put_digits(to, near % power, places ? places : 1);
    }
    return NULL;
}

/* An id without the byte that ends it. */
static uint8_t *put_id(uint8_t *to, const uint8_t *ids, const int64_t *starts, int64_t which)
{
    int64_t length = starts[which + 1] - starts[which] - 1;
    memcpy(to, ids + starts[which], length > 0 ? (size_t)length : 0);
    return to + (length > 0 ? length : 0);
}

/* Write a line for every document of every topic, each ending in `tag`; returns their bytes, 0 where a score has no text
   here. The ids of all topics, and of documents, stand in one text each, from `starts` on. */
int64_t run_lines(const uint8_t *topics, int64_t topics_size, const int64_t *topic_starts, int64_t n_topics,
                  const uint8_t *docs, int64_t docs_size, const int64_t *doc_starts, int64_t n_docs,
                  const int64_t *offsets, const int32_t *documents, const float *scores, int64_t n, const uint8_t *tag,
                  int64_t tag_size, uint8_t *lines, int64_t room)
{
    if (!are_offsets(topic_starts, n_topics, topics_size) || !are_offsets(doc_starts, n_docs, docs_size) ||
        !are_offsets(offsets, n_topics, n) || !are_below(documents, n, n_docs))
        return -1;
    uint8_t *to = lines;
    for (int64_t topic = 0; topic < n_topics; topic++)
        for (int64_t at = offsets[topic]; at < offsets[topic + 1]; at++) {
            int64_t doc = documents[at], ids = topic_starts[topic + 1] - topic_starts[topic];
            ids += doc_starts[doc + 1] - doc_starts[doc];
            if (room - (to - lines) < ids + tag_size + 64)
                return -1;
            to = put_id(to, topics, topic_starts, topic);
            memcpy(to, " Q0 ", 4);
            to = put_id(to + 4, docs, doc_starts, doc);
            *to++ = ' ';
            to = put_digits(to, at - offsets[topic] + 1, 1);
            *to++ = ' ';
            if ((to = put_score(to, scores[at])) == NULL)
                return 0;
            memcpy(to, tag, (size_t)tag_size);
            to += tag_size;
        }
    return to - lines;
}
