#include "vm_memory.h"

#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#ifdef __SANITIZE_ADDRESS__
#define SPARE_BYTES 0 /* the sanitizer is to see every use after free */
#else
#define SPARE_BYTES ((size_t)1 << 20)
#endif

struct vm_spare {
    struct vm_spare *next;
};

/* Which of our blocks hold `size` bytes; VM_MEMORY_CLASSES or more where none do. */
static size_t class_of(size_t size)
{
    return (size + 7) / 16;
}

static size_t bytes_of(size_t class)
{
    return class * 16 + 8;
}

static void *take(struct vm_memory *m, size_t size)
{
    size_t class = class_of(size);
    if (class >= VM_MEMORY_CLASSES) return malloc(size);
    struct vm_spare *block = m->spare[class];
    if (block == NULL) return malloc(bytes_of(class));
    m->spare[class] = block->next;
    m->spare_bytes -= bytes_of(class);
    return block;
}

static void give(struct vm_memory *m, void *block, size_t size)
{
    size_t class = class_of(size);
    if (class >= VM_MEMORY_CLASSES || m->spare_bytes + size > SPARE_BYTES) {
        free(block);
        return;
    }
    struct vm_spare *spare = block;
    spare->next = m->spare[class];
    m->spare[class] = spare;
    m->spare_bytes += bytes_of(class);
}

static void *resize(struct vm_memory *m, void *block, size_t old_size, size_t new_size)
{
    size_t from = class_of(old_size), to = class_of(new_size);
    if (from >= VM_MEMORY_CLASSES && to >= VM_MEMORY_CLASSES) return realloc(block, new_size);
    if (from == to) return block;
    void *moved = take(m, new_size);
    if (moved == NULL) return new_size < old_size ? block : NULL; /* Lua relies on shrinking */
    memcpy(moved, block, old_size < new_size ? old_size : new_size);
    give(m, block, old_size);
    return moved;
}

void *vm_memory_alloc(void *data, void *block, size_t old_size, size_t new_size)
{
    struct vm_memory *m = data;
    size_t held = block != NULL ? old_size : 0;
    if (new_size == 0) {
        if (block != NULL) give(m, block, old_size);
        m->used -= held;
        return NULL;
    }
    if (new_size > held && m->used - held + new_size > m->limit) return NULL;
    void *moved = block != NULL ? resize(m, block, old_size, new_size) : take(m, new_size);
    if (moved == NULL) return NULL;
    m->used = m->used - held + new_size;
    if (m->used > m->peak) m->peak = m->used;
    return moved;
}

void vm_memory_free(struct vm_memory *memory)
{
    for (size_t class = 0; class < VM_MEMORY_CLASSES; class ++) {
        while (memory->spare[class] != NULL) {
            struct vm_spare *next = memory->spare[class]->next;
            free(memory->spare[class]);
            memory->spare[class] = next;
        }
    }
    memory->spare_bytes = 0;
}

void vm_memory_give_back(struct vm_memory *memory)
{
    vm_memory_free(memory);
    malloc_trim(0);
    memory->peak = memory->used;
}
