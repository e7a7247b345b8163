/* A shared library that comes when it is first needed, not with the program: libcurl and libgit2 bring thirty
 * others along, which are 5 MB of resident memory and most of the time that the dynamic linker takes.
 *
 * Used so: the functions are named once, in a list F(name) F(name), from which come a struct of pointers to
 * them and the names in the same order. Their types are those of the library's header. */
#ifndef SANDSTORM_LATE_LIBRARY_H
#define SANDSTORM_LATE_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>

/* Loads the library of a name such as "libz.so.1", unless it is loaded, and writes the addresses of
 * the functions of a list that ends with NULL to `functions`, a struct that has as many pointers and nothing
 * else. It stays loaded until the process ends; the names are looked up by each call, in some microseconds.
 * False: one line in `error` says what is missing. Safe in any thread. */
bool late_library_load(const char *library, const char *const *names, void *functions, char *error,
                       size_t size);

#endif
