#include "clock.h"

#include <time.h>

uint64_t clock_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

int64_t clock_unix_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

#define SECONDS_LENGTH 20 /* of `YYYY-MM-DDTHH:MM:SS.` */

const char *clock_stamp(struct clock_stamp *stamp)
{
    int64_t now = clock_unix_ms(), second = now / 1000;
    if (second != stamp->second || stamp->text[0] == '\0') {
        time_t seconds = (time_t)second;
        struct tm parts;
        gmtime_r(&seconds, &parts);
        strftime(stamp->text, sizeof stamp->text, "%Y-%m-%dT%H:%M:%S.000Z", &parts);
        stamp->second = second;
    }
    char *milliseconds = stamp->text + SECONDS_LENGTH;
    for (int64_t i = 2, rest = now % 1000; i >= 0; i--, rest /= 10)
        milliseconds[i] = (char)('0' + rest % 10);
    return stamp->text;
}
