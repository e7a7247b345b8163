#include "clock.h"

#include <stdio.h>
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

void clock_text(char *out, size_t size)
{
    int64_t now = clock_unix_ms();
    time_t seconds = (time_t)(now / 1000);
    struct tm parts;
    gmtime_r(&seconds, &parts);
    size_t n = strftime(out, size, "%Y-%m-%dT%H:%M:%S", &parts);
    snprintf(out + n, size - n, ".%03dZ", (int)(now % 1000));
}
