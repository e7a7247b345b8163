/* The memory of a Lua state: counted against a limit, and small blocks are kept for the next of their size.
 * Lua frees its garbage in bursts and asks for the like of it soon after; malloc would merge and split them
 * each time.
 *
 * Ownership: vm_memory_free gives back what is kept, once the state is closed. */
#ifndef SANDSTORM_VM_MEMORY_H
#define SANDSTORM_VM_MEMORY_H

#include <stddef.h>

#define VM_MEMORY_CLASSES 33 /* blocks of 8, 24, 40 ... 520 bytes, as malloc makes them */

struct vm_spare;

struct vm_memory {
    size_t used; /* bytes held by the state */
    size_t peak; /* the most that it held since vm_memory_give_back */
    size_t limit;
    struct vm_spare *spare[VM_MEMORY_CLASSES];
    size_t spare_bytes;
};

/* A lua_Alloc; `data` is a struct vm_memory. NULL when the limit is reached or malloc has none. */
void *vm_memory_alloc(void *data, void *block, size_t old_size, size_t new_size);

/* Gives what is kept, and what malloc keeps, back to the system. */
void vm_memory_give_back(struct vm_memory *memory);

/* Frees what is kept. */
void vm_memory_free(struct vm_memory *memory);

#endif
