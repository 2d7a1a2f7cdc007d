/* Lines of run files. The readable form is in clirbench/files/trec.py. */

#include "arrays.h"

static uint8_t *put_part(uint8_t *to, const uint8_t *text, const int64_t *part)
{
    memcpy(to, text + part[0], (size_t)(part[1] - part[0]));
    return to + (part[1] - part[0]);
}

static uint8_t *put_digits(uint8_t *to, int64_t number, int least)
{
    if (number >= 10 || least > 1)
        to = put_digits(to, number / 10, least - 1);
    *to = (uint8_t)('0' + number % 10);
    return to + 1;
}

/* The fewest decimals that read back as the same float; null for scores that may be written with an exponent. */
static uint8_t *put_score(uint8_t *to, float score)
{
    int64_t power = 1;
    for (int places = 0; score >= 0.01 && score < 1e5 && places < 12; places++, power *= 10) {
        double exact = (double)score * (double)power; /* of 24 bits and 28, so it is not rounded */
        int64_t near = (int64_t)exact;
        near += exact - (double)near > 0.5 || (exact - (double)near == 0.5 && near % 2);
        if ((float)((double)near / (double)power) == score) {
            to = put_digits(to, near / power, 1);
            *to = '.';
            return put_digits(to + 1, near % power, places);
        }
    }
    return NULL;
}

/* Write a line for every document of every topic: parts of two texts, the rank, the score and `end`; returns their bytes,
   0 where a score has no text here. */
int64_t run_lines(const uint8_t *topics, int64_t topics_size, const int64_t *topic_parts, int64_t n_topics,
                  const uint8_t *docs, int64_t docs_size, const int64_t *doc_parts, int64_t n_docs,
                  const int64_t *offsets, const int32_t *documents, const float *scores, int64_t n, const uint8_t *end,
                  int64_t end_size, uint8_t *lines, int64_t room)
{
    if (!are_offsets(topic_parts, n_topics, topics_size) || !are_offsets(doc_parts, n_docs, docs_size) ||
        !are_offsets(offsets, n_topics, n) || !are_below(documents, n, n_docs))
        return -1;
    uint8_t *to = lines;
    for (int64_t topic = 0; topic < n_topics; topic++)
        for (int64_t at = offsets[topic]; at < offsets[topic + 1]; at++) {
            const int64_t *ids = topic_parts + topic, *doc = doc_parts + documents[at], all[] = {0, end_size};
            if (room - (to - lines) < ids[1] - ids[0] + doc[1] - doc[0] + end_size + 48)
                return -1;
            to = put_digits(put_part(put_part(to, topics, ids), docs, doc), at - offsets[topic] + 1, 1);
            *to = ' ';
            if ((to = put_score(to + 1, scores[at])) == NULL)
                return 0;
            to = put_part(to, end, all);
        }
    return to - lines;
}
