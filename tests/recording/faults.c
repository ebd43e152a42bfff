/* Makes a folder misbehave: preloaded, it lets calls on files below FAULT_FOLDER fail as FAULT_CONTROL says. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { WRITE = 1, SYNC = 2, NAME = 4 };

static struct control {
    int error;          /* that calls fail with; below zero: seconds that they take */
    unsigned kinds;     /* of calls that fail; 0: none */
    unsigned one_in;    /* so many of them */
    unsigned chance;    /* state of the dice */
} *control;
static char folder[PATH_MAX];

__attribute__((constructor)) static void begin(void) {
    const char *path = getenv("FAULT_CONTROL"), *below = getenv("FAULT_FOLDER");
    int file = path ? open(path, O_RDWR) : -1;
    if (file < 0 || !below) abort();
    snprintf(folder, sizeof folder, "%s", below);
    control = mmap(0, sizeof *control, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (control == MAP_FAILED) abort();
    close(file);
}

static int fails_at(const char *path, unsigned kind) {
    if (!control || !(control->kinds & kind) || strncmp(path, folder, strlen(folder))) return 0;
    if (rand_r(&control->chance) % control->one_in) return 0;
    if (control->error < 0) {
        sleep(-control->error);
        return 0;
    }
    errno = control->error;
    return 1;
}

static int fails(int file, unsigned kind) {
    char link[64], path[PATH_MAX] = "";
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    return readlink(link, path, sizeof path - 1) > 0 && fails_at(path, kind);
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

ssize_t write(int file, const void *data, size_t size) {
    if (size && fails(file, WRITE)) return -1;
    return REAL(write)(file, data, size);
}

/* What fails has written some of it before, but a sector is written as a whole. */
ssize_t pwrite64(int file, const void *data, size_t size, off64_t at) {
    if (!fails(file, WRITE)) return REAL(pwrite64)(file, data, size, at);
    int error = errno;
    if (size > 512 && rand_r(&control->chance) % 2) return REAL(pwrite64)(file, data, 512, at);
    errno = error;
    return -1;
}

ssize_t pwrite(int file, const void *data, size_t size, off_t at) { return pwrite64(file, data, size, at); }

int fsync(int file) { return fails(file, SYNC) ? -1 : REAL(fsync)(file); }

int fdatasync(int file) { return fails(file, SYNC) ? -1 : REAL(fdatasync)(file); }

int rename(const char *from, const char *to) { return fails_at(to, NAME) ? -1 : REAL(rename)(from, to); }

int mkdir(const char *path, mode_t mode) { return fails_at(path, NAME) ? -1 : REAL(mkdir)(path, mode); }

int unlink(const char *path) { return fails_at(path, NAME) ? -1 : REAL(unlink)(path); }

int open64(const char *path, int flags, ...) {
    va_list rest;
    va_start(rest, flags);
    mode_t mode = flags & O_CREAT ? va_arg(rest, mode_t) : 0;
    va_end(rest);
    if (flags & O_CREAT && fails_at(path, NAME)) return -1;
    return REAL(open64)(path, flags, mode);
}
