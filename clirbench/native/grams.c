/* Hashes of word 4-grams. The readable form is in clirbench/systems/grams.py. */

#include "arrays.h"

enum { ORDER = 4, NEWLINE = '\n', WHITE = ' ' };

static uint64_t mixed(uint64_t value)
{
    value = (value ^ value >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    value = (value ^ value >> 27) * UINT64_C(0x94D049BB133111EB);
    return value ^ value >> 31;
}

struct line {
    uint64_t words[ORDER], most, *out;
    int64_t count, written, room;
};

/* Write the hash of the last four of a line's words, or of all where they are fewer. */
static void write_gram(struct line *of)
{
    uint64_t value = 0;
    for (int64_t place = of->count > ORDER ? of->count - ORDER : 0; place < of->count; place++)
        value = value * UINT64_C(0xD6E8FEB86659FD93) + of->words[place % ORDER];
    value = mixed(value);
    if (value <= of->most && of->written < of->room)
        of->out[of->written++] = value;
}

static void end_word(struct line *of, uint64_t value)
{
    of->words[of->count++ % ORDER] = mixed(value);
    if (of->count >= ORDER)
        write_gram(of);
}

/* Write the hashes up to `most` of every 4-gram within a line, and of every line of one to three words; returns how
   many. `plain`: every byte as it is compared; `out` has room for as many as there are bytes. */
int64_t gram_hashes(const uint8_t *block, int64_t n, const uint8_t *plain, const uint64_t *most, uint64_t *out)
{
    struct line of = {.most = *most, .out = out, .room = n};
    uint64_t value = 0;
    int inside = 0, left = 0; /* left: bytes that an ideograph still has */
    for (int64_t i = 0; i < n; i++) {
        uint8_t byte = plain[block[i]];
        int white = byte == WHITE || byte == NEWLINE, lead = byte >= 0xE3 && byte <= 0xE9;
        if (inside && (white || lead)) {
            end_word(&of, value);
            inside = 0;
        }
        if (byte == NEWLINE) {
            if (of.count > 0 && of.count < ORDER)
                write_gram(&of);
            of.count = 0;
        }
        if (white)
            continue;
        if (!inside) {
            inside = 1;
            value = UINT64_C(14695981039346656037);
            left = lead ? 3 : -1;
        }
        value = (value ^ byte) * UINT64_C(1099511628211);
        if (--left == 0) {
            end_word(&of, value);
            inside = 0;
        }
    }
    return of.written;
}
