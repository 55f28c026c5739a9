/* Preloaded into a server: counts writes and syncs of its files, and can keep what a power cut would undo.
 *
 * WATCH_COUNTS: file of counters, mapped and shared by all processes: syncs, bytes, writes.
 * WATCH_ROOT: only files below this folder count.
 * WATCH_JOURNAL: folder; what a write replaces is kept there until its file is synced. Undoing it is not done here.
 * WATCH_STALL: a sync of a file whose path holds this text never returns; WATCH_STALL_MARK is created instead.
 * WATCH_SEED: what programs that load a server draw is the same each time, whatever they call srandom with.
 * Creating, renaming and removing files is taken to be durable at once.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

struct counts {
  _Atomic uint64_t syncs, bytes, writes;
};

struct record { /* before each kept piece of a journal, followed by the path and the old bytes */
  uint64_t offset, length, old_length, old_size;
  uint32_t path_length, magic;
};

static struct counts nowhere, *counts = &nowhere;
static const char *root, *journal, *stall, *stall_mark;
static size_t root_length;
static int (*real_fsync)(int), (*real_fdatasync)(int);
static ssize_t (*real_write)(int, const void *, size_t);
static ssize_t (*real_writev)(int, const struct iovec *, int);
static ssize_t (*real_pwrite)(int, const void *, size_t, off64_t);
static ssize_t (*real_pwritev)(int, const struct iovec *, int, off64_t);
static size_t (*real_fwrite)(const void *, size_t, size_t, FILE *);

/* A copy: servers write over their environment to change their names. */
static const char *variable(const char *name) {
  const char *found = getenv(name);
  return found ? strdup(found) : NULL;
}

__attribute__((constructor)) static void start(void) {
  real_fsync = dlsym(RTLD_NEXT, "fsync");
  real_fdatasync = dlsym(RTLD_NEXT, "fdatasync");
  real_write = dlsym(RTLD_NEXT, "write");
  real_writev = dlsym(RTLD_NEXT, "writev");
  real_pwrite = dlsym(RTLD_NEXT, "pwrite64");
  real_pwritev = dlsym(RTLD_NEXT, "pwritev64");
  real_fwrite = dlsym(RTLD_NEXT, "fwrite");
  root = variable("WATCH_ROOT");
  root_length = root ? strlen(root) : 0;
  journal = variable("WATCH_JOURNAL");
  stall = variable("WATCH_STALL");
  stall_mark = variable("WATCH_STALL_MARK");
  const char *path = getenv("WATCH_COUNTS");
  int fd = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
  if (fd >= 0) {
    void *found = mmap(NULL, sizeof *counts, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (found != MAP_FAILED)
      counts = found;
    close(fd);
  }
}

/* Whether fd is a regular file below the root; then its path is in `path`. */
static int is_watched(int fd, char *path) {
  struct stat about;
  if (!root_length || fstat(fd, &about) != 0 || !S_ISREG(about.st_mode))
    return 0;
  char link[40];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, PATH_MAX - 1);
  if (length < 0)
    return 0;
  path[length] = 0;
  return strncmp(path, root, root_length) == 0;
}

static int journal_of(int fd, int flags) {
  struct stat about;
  char name[PATH_MAX];
  if (fstat(fd, &about) != 0)
    return -1;
  snprintf(name, sizeof name, "%s/%llu", journal, (unsigned long long)about.st_ino);
  return open(name, flags | O_CLOEXEC, 0600);
}

/* Keep what a write of `length` bytes at `offset` replaces, in one piece. */
static void keep(int fd, const char *path, off64_t offset, size_t length) {
  struct stat about;
  int out = journal_of(fd, O_WRONLY | O_APPEND | O_CREAT), in = open(path, O_RDONLY | O_CLOEXEC);
  if (out >= 0 && in >= 0 && fstat(fd, &about) == 0) {
    size_t path_length = strlen(path);
    char *piece = malloc(sizeof(struct record) + path_length + length);
    if (piece) {
      char *old = piece + sizeof(struct record) + path_length;
      ssize_t found = pread(in, old, length, offset);
      struct record head = {offset, length, found > 0 ? found : 0, about.st_size, path_length, 0x57415443};
      memcpy(piece, &head, sizeof head);
      memcpy(piece + sizeof head, path, path_length);
      if (real_write(out, piece, sizeof head + path_length + head.old_length) < 0)
        abort();
      free(piece);
    }
  }
  if (out >= 0)
    close(out);
  if (in >= 0)
    close(in);
}

/* Count a write; `offset` is -1 where the file's own place counts. */
static void before(int fd, off64_t offset, size_t length) {
  char path[PATH_MAX];
  int saved = errno;
  if (is_watched(fd, path)) {
    counts->bytes += length;
    counts->writes += 1;
    int flags = fcntl(fd, F_GETFL);
    if (flags & O_DSYNC)
      counts->syncs += 1;
    else if (journal) {
      struct stat about;
      if (offset < 0)
        offset = flags & O_APPEND && fstat(fd, &about) == 0 ? about.st_size : lseek64(fd, 0, SEEK_CUR);
      if (offset >= 0)
        keep(fd, path, offset, length);
    }
  }
  errno = saved;
}

static int synced(int fd, int (*real)(int)) {
  char path[PATH_MAX];
  int watched = is_watched(fd, path);
  if (watched && stall && strstr(path, stall)) {
    if (stall_mark)
      close(open(stall_mark, O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
    for (;;)
      pause();
  }
  int result = real(fd);
  if (watched && result == 0) {
    int saved = errno;
    counts->syncs += 1;
    int kept = journal ? journal_of(fd, O_WRONLY | O_TRUNC) : -1;
    if (kept >= 0)
      close(kept);
    errno = saved;
  }
  return result;
}

static size_t total(const struct iovec *parts, int count) {
  size_t sum = 0;
  for (int i = 0; i < count; i++)
    sum += parts[i].iov_len;
  return sum;
}

int fsync(int fd) { return synced(fd, real_fsync); }

int fdatasync(int fd) { return synced(fd, real_fdatasync); }

ssize_t write(int fd, const void *bytes, size_t length) {
  before(fd, -1, length);
  return real_write(fd, bytes, length);
}

ssize_t writev(int fd, const struct iovec *parts, int count) {
  before(fd, -1, total(parts, count));
  return real_writev(fd, parts, count);
}

ssize_t pwrite64(int fd, const void *bytes, size_t length, off64_t offset) {
  before(fd, offset, length);
  return real_pwrite(fd, bytes, length, offset);
}

ssize_t pwrite(int fd, const void *bytes, size_t length, off_t offset) { return pwrite64(fd, bytes, length, offset); }

ssize_t pwritev64(int fd, const struct iovec *parts, int count, off64_t offset) {
  before(fd, offset, total(parts, count));
  return real_pwritev(fd, parts, count, offset);
}

ssize_t pwritev(int fd, const struct iovec *parts, int count, off_t offset) {
  return pwritev64(fd, parts, count, offset);
}

size_t fwrite(const void *bytes, size_t size, size_t count, FILE *file) {
  char path[PATH_MAX];
  int saved = errno, fd = fileno(file);
  if (fd >= 0 && is_watched(fd, path)) {
    counts->bytes += size * count;
    counts->writes += 1;
  }
  errno = saved;
  return real_fwrite(bytes, size, count, file);
}

void srandom(unsigned seed) {
  const char *wanted = getenv("WATCH_SEED");
  void (*real)(unsigned) = dlsym(RTLD_NEXT, "srandom");
  real(wanted ? (unsigned)strtoul(wanted, NULL, 10) : seed);
}
