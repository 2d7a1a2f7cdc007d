/* n-grams as sorted keys. A key holds the first `order` symbols from a position on, `bits` each, the first one highest,
   0 beyond the line's end: so equal n-grams of every order up to `order` lie beside each other. The lowest bits of
   a reference's key say which one it is. Included once for each width of KEY. */

static void NAME(sort)(KEY *keys, KEY *spare, int64_t n)
{
    /* Short runs by comparing all with all, without a branch, then merged from below: never worse than n log n. */
    for (int64_t begin = 0; begin < n; begin += RUN) {
        int64_t length = begin + RUN < n ? RUN : n - begin, place[RUN];
        for (int64_t i = 0; i < length; i++) {
            KEY key = spare[i] = keys[begin + i];
            place[i] = i;
            for (int64_t j = 0; j < i; j++) {
                place[i] -= spare[j] > key;
                place[j] += spare[j] > key;
            }
        }
        for (int64_t i = 0; i < length; i++)
            keys[begin + place[i]] = spare[i];
    }
    KEY *from = keys, *to = spare;
    for (int64_t width = RUN; width < n; width *= 2) {
        for (int64_t begin = 0; begin < n; begin += 2 * width) {
            int64_t middle = begin + width < n ? begin + width : n, end = middle + width < n ? middle + width : n;
            int64_t a = begin, b = middle, k = begin;
            while (a < middle && b < end) {
                int right = from[b] < from[a];
                to[k++] = right ? from[b] : from[a];
                b += right;
                a += !right;
            }
            memcpy(to + k, from + a, (size_t)(middle - a) * sizeof(KEY));
            k += middle - a;
            memcpy(to + k, from + b, (size_t)(end - b) * sizeof(KEY));
        }
        KEY *swap = from;
        from = to;
        to = swap;
    }
    if (from != keys)
        memcpy(keys, from, (size_t)n * sizeof(KEY));
}

/* `sort` of keys that have so many bits: a long line's first by the highest eight, as most symbols differ in them. */
static void NAME(sort_bits)(KEY *keys, KEY *spare, int64_t n, int64_t bits)
{
    if (n < 4 * RUN || bits < 8) {
        NAME(sort)(keys, spare, n);
        return;
    }
    int64_t ends[257] = {0};
    for (int64_t i = 0; i < n; i++)
        ends[(keys[i] >> (bits - 8)) + 1]++;
    for (int bucket = 0; bucket < 256; bucket++)
        ends[bucket + 1] += ends[bucket];
    memcpy(spare, keys, (size_t)n * sizeof(KEY));
    for (int64_t i = 0; i < n; i++)
        keys[ends[spare[i] >> (bits - 8)]++] = spare[i]; /* where a bucket begins becomes where it ends */
    for (int64_t begin = 0; begin < n; begin = ends[keys[begin] >> (bits - 8)])
        NAME(sort)(keys + begin, spare, ends[keys[begin] >> (bits - 8)] - begin);
}

/* The keys of a line, in the line's order. */
static void NAME(pack)(const int32_t *symbols, int64_t n, struct shape of, KEY reference, KEY *keys)
{
    KEY key = 0;
    for (int64_t i = n - 1; i >= 0; i--) {
        int64_t symbol = (uint32_t)symbols[i], number = of.ids[symbol < of.size ? symbol : of.size - 1];
        key = (KEY)number << of.bits * (of.order - 1) | key >> of.bits;
        keys[i] = key << of.side | reference;
    }
}

/* The sorted keys of each segment's references together, and where they begin. */
int64_t NAME(sorted_keys)(const int32_t *symbols, int64_t n, const int64_t *offsets, int64_t segments,
                          int64_t references, const int32_t *ids, int64_t size, int64_t order, int64_t bits, KEY *keys,
                          int64_t *starts)
{
    struct shape of = {ids, size, order, bits, bits_of(references - 1)};
    if (segments < 0 || references < 1 || !are_offsets(offsets, references * segments, n) ||
        !fits(of, 8 * sizeof(KEY)))
        return -1;
    starts[0] = 0;
    for (int64_t segment = 0; segment < segments; segment++) {
        int64_t at = starts[segment];
        for (int64_t r = 0; r < references; r++) {
            const int64_t *line = offsets + r * segments + segment;
            NAME(pack)(symbols + line[0], line[1] - line[0], of, (KEY)r, keys + at);
            at += line[1] - line[0];
        }
        starts[segment + 1] = at;
    }
    KEY *spare = malloc((size_t)(longest(starts, segments) + 1) * sizeof(KEY));
    if (!spare)
        return -2;
    for (int64_t segment = 0; segment < segments; segment++)
        NAME(sort_bits)(keys + starts[segment], spare, starts[segment + 1] - starts[segment], order * bits + of.side);
    free(spare);
    return 0;
}

/* Add to `found` the matches of `level` and above among n-grams that share their first level - 1 symbols. */
static void NAME(match)(const KEY *ours, int64_t n, const KEY *theirs, int64_t m, int64_t level, struct shape of,
                        int64_t *in, int64_t *found)
{
    KEY last = ((KEY)1 << of.bits) - 1;
    int64_t shift = of.side + of.bits * (of.order - level);
    if (n == 1 || m == 1) { /* one that goes as far as the nearest of the others shares its symbols */
        KEY one = n == 1 ? ours[0] : theirs[0], nearest = ours[0] ^ theirs[0];
        for (int64_t i = 1; i < n + m - 1; i++) {
            KEY other = n == 1 ? ours[0] ^ theirs[i] : ours[i] ^ theirs[0];
            nearest = other < nearest ? other : nearest;
        }
        for (; level <= of.order && !(nearest >> shift) && one >> shift & last; level++, shift -= of.bits)
            found[level - 1]++;
        return;
    }
    for (int64_t i = 0, j = 0; i < n && j < m;) {
        KEY gram = ours[i] >> shift, other = theirs[j] >> shift;
        if (gram != other) {
            i += gram < other;
            j += gram > other;
            continue;
        }
        int64_t i0 = i, j0 = j, most = 0;
        while (i < n && ours[i] >> shift == gram)
            i++;
        while (j < m && theirs[j] >> shift == gram)
            j++;
        if (!(gram & last))
            continue;
        if (of.side) {
            memset(in, 0, sizeof(int64_t) << of.side);
            for (int64_t k = j0; k < j; k++) {
                int64_t count = ++in[theirs[k] & (((KEY)1 << of.side) - 1)];
                most = count > most ? count : most;
            }
        } else
            most = j - j0;
        found[level - 1] += i - i0 < most ? i - i0 : most;
        if (level < of.order)
            NAME(match)(ours + i0, i - i0, theirs + j0, j - j0, level + 1, of, in, found);
    }
}

/* Clipped matches of each order, (segments, order), against the keys of references from `sorted_keys`. */
int64_t NAME(count_matches)(const int32_t *symbols, int64_t n, const int64_t *offsets, int64_t segments,
                            int64_t references, const int32_t *ids, int64_t size, int64_t order, int64_t bits,
                            const KEY *theirs, int64_t n_theirs, const int64_t *starts, double *matches)
{
    struct shape of = {ids, size, order, bits, bits_of(references - 1)};
    if (segments < 0 || references < 1 || !are_offsets(offsets, segments, n) ||
        !are_offsets(starts, segments, n_theirs) || !fits(of, 8 * sizeof(KEY)))
        return -1;
    int64_t room = longest(offsets, segments) + 1, found[8 * sizeof(KEY)];
    KEY *keys = malloc((size_t)(2 * room) * sizeof(KEY));
    int64_t *in = malloc(sizeof(int64_t) << of.side);
    for (int64_t segment = 0; keys && in && segment < segments; segment++) {
        int64_t length = offsets[segment + 1] - offsets[segment], m = starts[segment + 1] - starts[segment];
        NAME(pack)(symbols + offsets[segment], length, of, 0, keys);
        NAME(sort_bits)(keys, keys + room, length, order * bits + of.side);
        memset(found, 0, sizeof found);
        if (length && m)
            NAME(match)(keys, length, theirs + starts[segment], m, 1, of, in, found);
        for (int64_t k = 0; k < order; k++)
            matches[segment * order + k] = (double)found[k];
    }
    int64_t status = keys && in ? 0 : -2;
    free(keys);
    free(in);
    return status;
}
