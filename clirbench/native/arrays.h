/* What is checked of arrays before any loop runs. */

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Whether offsets of parts, one more than there are, ascend within 0 and n. */
static inline int are_offsets(const int64_t *offsets, int64_t parts, int64_t n)
{
    if (parts < 0 || offsets[0] < 0)
        return 0;
    for (int64_t part = 0; part < parts; part++)
        if (offsets[part] > offsets[part + 1])
            return 0;
    return offsets[parts] <= n;
}

/* Whether all numbers are from 0 up to below n. */
static inline int are_below(const int32_t *numbers, int64_t length, int64_t n)
{
    for (int64_t i = 0; i < length; i++)
        if (numbers[i] < 0 || numbers[i] >= n)
            return 0;
    return 1;
}
