/* Runs the operations of a script, one a line: NAME HEX HEX ...; prints NAME RESULT for each. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>
extern char **environ;
#define IS(x, y) (!strcmp(x, y))
struct arg { int fd, own, back; char *path; char buffer[4200]; };

/* A path argument is PATH, or MODE \1 FOLDER \1 PATH: d, r relative to a descriptor of the folder (O_PATH,
   O_RDONLY), c after fchdir, f through /proc/self/fd.  -> 0 or an error number */
static int take(struct arg *a, char *text) {
    a->fd = AT_FDCWD; a->own = a->back = -1; a->path = text;
    char *s = strchr(text, 1);
    if (!s) return 0;
    char mode = *text, folder[4200]; s++;
    char *t = strchr(s, 1);
    memcpy(folder, s, t - s); folder[t - s] = 0; a->path = t + 1;
    a->own = open(folder, (mode == 'r' || mode == 'c' ? O_RDONLY : O_PATH) | O_DIRECTORY);
    if (a->own < 0) return errno;
    if (mode == 'c') {
        a->back = open(".", O_RDONLY | O_DIRECTORY);
        if (fchdir(a->own)) return errno;
    } else if (mode == 'f') {
        snprintf(a->buffer, sizeof a->buffer, "/proc/self/fd/%d/%s", a->own, a->path);
        a->path = a->buffer;
    } else a->fd = a->own;
    return 0;
}
static void done(struct arg *a) {
    if (a->back >= 0) { if (fchdir(a->back)) abort(); close(a->back); }
    if (a->own >= 0) close(a->own);
}
static char result[1 << 16];
static void sum(const unsigned char *p, long n, char *out) {
    long s = 0;
    for (long i = 0; i < n; i++) s += p[i];
    sprintf(out, "%ld %ld", n, s % 65521);
}
static long readall(int fd, char **out) {
    long n = 0, r; char *b = malloc(1 << 20);
    while ((r = read(fd, b + n, (1 << 20) - n)) > 0) n += r;
    *out = b;
    return r < 0 ? -1 : n;
}
static int readit(struct arg *a, const char *how, char *out) {   /* -> error number; else out is set */
    char *b = 0, p[64]; long n = -1; int fd, e = 0;
    if (IS(how, "openat2")) {
        struct open_how h = { .flags = O_RDONLY };
        fd = syscall(SYS_openat2, a->fd, a->path, &h, sizeof h);
    } else if (IS(how, "procfd") || IS(how, "devfd")) {
        int o = openat(a->fd, a->path, IS(how, "procfd") ? O_PATH : O_RDONLY);
        if (o < 0) return errno;
        sprintf(p, IS(how, "procfd") ? "/proc/self/fd/%d" : "/dev/fd/%d", o);
        fd = open(p, O_RDONLY); e = errno; close(o); errno = e;
    } else fd = openat(a->fd, a->path, O_RDONLY | (IS(how, "nofollow") ? O_NOFOLLOW : 0));
    if (fd < 0) return errno;
    struct stat st; fstat(fd, &st);
    if (S_ISDIR(st.st_mode)) { e = read(fd, p, 1) < 0 ? errno : 0; close(fd); return e; }
    if (IS(how, "mmap") && st.st_size) {
        char *m = mmap(0, st.st_size, PROT_READ, MAP_PRIVATE, fd, 0); close(fd); fd = -1;
        n = st.st_size; b = malloc(n); memcpy(b, m, n); munmap(m, n);
    } else if (IS(how, "pread")) { b = malloc(1 << 20); n = pread(fd, b, 1 << 20, 0);
    } else if (IS(how, "readv")) { b = malloc(1 << 20); struct iovec v = { b, 1 << 20 }; n = readv(fd, &v, 1);
    } else if (IS(how, "dup")) { int d = fcntl(fd, F_DUPFD, 100); close(fd); fd = d; n = readall(fd, &b);
    } else if (IS(how, "fopen")) { FILE *f = fdopen(fd, "r"); b = malloc(1 << 20); n = fread(b, 1, 1 << 20, f); fclose(f); fd = -1;
    } else if (IS(how, "sendfile") || IS(how, "splice")) {
        int q[2]; n = 0; long r; b = malloc(1 << 20);
        if (pipe(q)) return errno;
        for (;;) {
            r = IS(how, "sendfile") ? sendfile(q[1], fd, 0, 4096) : splice(fd, 0, q[1], 0, 4096, 0);
            if (r <= 0) break;
            for (long k = 0, g; k < r; k += g) { g = read(q[0], b + n, r - k); n += g; }
        }
        close(q[0]); close(q[1]); if (r < 0) n = -1;
    } else if (IS(how, "child")) {
        int q[2]; if (pipe(q)) return errno;
        pid_t c = fork();
        if (!c) { n = readall(fd, &b); if (write(q[1], b, n) < 0) _exit(1); _exit(0); }
        close(q[1]); n = readall(q[0], &b); close(q[0]); waitpid(c, 0, 0);
    } else n = readall(fd, &b);
    if (fd >= 0) close(fd);
    if (n < 0) return errno;
    sum((unsigned char *)b, n, out); free(b);
    return 0;
}
static int writeall(int fd, const char *data, long n, const char *how) {
    long r = 0;
    if (IS(how, "pwrite")) r = n ? pwrite(fd, data, n, 0) : 0;
    else if (IS(how, "writev")) { struct iovec v[2] = {{ (char *)data, n / 2 }, { (char *)data + n / 2, n - n / 2 }}; r = writev(fd, v, 2); }
    else if (IS(how, "splice")) {
        int q[2]; if (pipe(q)) return errno;
        for (long k = 0; k < n && r >= 0;) { long g = write(q[1], data + k, n - k > 4096 ? 4096 : n - k); r = splice(q[0], 0, fd, 0, g, 0); k += g; }
        close(q[0]); close(q[1]);
    } else if (IS(how, "mmap")) {
        if (n) {
            if (ftruncate(fd, n)) return errno;
            char *m = mmap(0, n, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0); close(fd);
            if (m == MAP_FAILED) return errno;
            memcpy(m, data, n); munmap(m, n); return 0;
        }
    } else if (IS(how, "child")) { pid_t c = fork(); if (!c) _exit(write(fd, data, n) != n); waitpid(c, 0, 0);
    } else if (IS(how, "passed")) {                     /* the descriptor goes to a child through a socket */
        int s[2]; char c, u[CMSG_SPACE(sizeof(int))]; if (socketpair(AF_UNIX, SOCK_STREAM, 0, s)) return errno;
        struct iovec v = { &c, 1 }; struct msghdr h = { .msg_iov = &v, .msg_iovlen = 1, .msg_control = u, .msg_controllen = sizeof u };
        pid_t k = fork();
        if (!k) { close(fd); recvmsg(s[1], &h, 0); int f = *(int *)CMSG_DATA(CMSG_FIRSTHDR(&h)); _exit(write(f, data, n) != n); }
        struct cmsghdr *m = CMSG_FIRSTHDR(&h); m->cmsg_level = SOL_SOCKET; m->cmsg_type = SCM_RIGHTS; m->cmsg_len = CMSG_LEN(sizeof(int));
        *(int *)CMSG_DATA(m) = fd; sendmsg(s[0], &h, 0); waitpid(k, 0, 0); close(s[0]); close(s[1]);
    } else r = write(fd, data, n);
    int e = r < 0 ? errno : 0;
    if (close(fd) && !e) e = errno;
    return e;
}
static int putit(struct arg *a, const char *data, const char *how) {
    int fd;
    if (IS(how, "openat2")) { struct open_how h = { .flags = O_WRONLY | O_CREAT | O_TRUNC, .mode = 0644 }; fd = syscall(SYS_openat2, a->fd, a->path, &h, sizeof h); }
    else if (IS(how, "creat") && a->fd == AT_FDCWD) fd = creat(a->path, 0644);
    else fd = openat(a->fd, a->path, (IS(how, "mmap") ? O_RDWR : O_WRONLY) | O_CREAT | O_TRUNC, 0644);
    return fd < 0 ? errno : writeall(fd, data, strlen(data), how);
}
struct job { char kind, *data, *path, out[64]; };
static void *work(void *v) {
    struct job *j = v; struct arg a; char *text = strdup(j->path); int e;
    if (*text && strchr(text, 1) && *text == 'c') *text = 'd';       /* the working folder belongs to all */
    if (!(e = take(&a, text))) {
        if (j->kind == 'r') e = readit(&a, "open", j->out);
        else if (j->kind == 'w') e = putit(&a, j->data, "write");
        else { int f = openat(a.fd, a.path, O_WRONLY | O_APPEND | O_CREAT, 0644); e = f < 0 ? errno : writeall(f, j->data, strlen(j->data), "write"); }
    }
    if (e) sprintf(j->out, "%d", e); else if (j->kind != 'r') strcpy(j->out, "ok");
    done(&a);
    return 0;
}
static void parallel(struct job *jobs, int n, const char *how) {
    struct job *j = mmap(0, n * sizeof *j, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    memcpy(j, jobs, n * sizeof *j);
    pthread_t t[64]; pid_t c[64];
    for (int i = 0; i < n; i++)
        if (*how == 't') pthread_create(&t[i], 0, work, &j[i]);
        else if (!(c[i] = fork())) { work(&j[i]); _exit(0); }
    for (int i = 0; i < n; i++) { if (*how == 't') pthread_join(t[i], 0); else waitpid(c[i], 0, 0); }
    *result = 0;
    for (int i = 0; i < n; i++) { if (i) strcat(result, " "); strcat(result, j[i].out); }
}
static int runit(struct arg *a, const char *how, int busy) {
    char full[4300], *v[] = { "prog", busy ? "w" : 0, 0 }; int q[2], e[2], st, err = 0, in[2]; pid_t c = -1;
    if (a->fd == AT_FDCWD) strcpy(full, a->path); else sprintf(full, "/proc/self/fd/%d/%s", a->fd, a->path);
    if (pipe(q) || pipe2(e, O_CLOEXEC) || pipe(in)) abort();
    if (IS(how, "spawn") && !busy) {
        posix_spawn_file_actions_t f; posix_spawn_file_actions_init(&f); posix_spawn_file_actions_adddup2(&f, q[1], 1);
        err = posix_spawn(&c, full, &f, 0, v, environ); posix_spawn_file_actions_destroy(&f);
    } else if (IS(how, "vfork") && !busy) {
        volatile int ev = 0; c = vfork();
        if (!c) { dup2(q[1], 1); execve(full, v, environ); ev = errno; _exit(127); }
        err = ev;
    } else {
        c = fork();
        if (!c) {
            dup2(q[1], 1);
            if (busy) { dup2(in[0], 0); close(in[1]); execve(full, v, environ); }
            else if (IS(how, "execveat")) syscall(SYS_execveat, a->fd, a->path, v, environ, 0);
            else if (IS(how, "fexecve")) { int f = openat(a->fd, a->path, O_RDONLY); if (f >= 0) fexecve(f, v, environ); }
            else execve(full, v, environ);
            err = errno; if (write(e[1], &err, sizeof err) < 0) _exit(1);
            _exit(127);
        }
    }
    close(e[1]); if (read(e[0], &st, sizeof st) == sizeof st) err = st;
    close(e[0]); close(q[1]);
    char b[4096]; long n = 0, r;
    if (busy && !err) { int f = openat(a->fd, a->path, O_WRONLY); err = f < 0 ? errno : 0; }
    close(in[0]); close(in[1]);
    while ((r = read(q[0], b + n, 4095 - n)) > 0) n += r;
    close(q[0]);
    if (c > 0) waitpid(c, &st, 0);
    if (!err) strcpy(result, "0");
    return err;
}
static void tick(int s) { (void)s; }
#define DO(x) do { if ((x) < 0) e = errno; } while (0)

int main(int argc, char **argv) {
    static char line[1 << 20], *v[64]; int held[10]; (void)argc;
    FILE *f = fopen(argv[1], "re");
    setvbuf(stdout, 0, _IONBF, 0);
    while (fgets(line, sizeof line, f)) {
        int n = 0, e = 0, fd; memset(v, 0, sizeof v);
        char *save, *op = strtok_r(line, " \n", &save), *h;
        while ((h = strtok_r(0, " \n", &save))) {
            char *d = calloc(1, strlen(h) / 2 + 1);
            for (int i = 0; h[0] != '-' && h[2 * i]; i++) sscanf(h + 2 * i, "%2hhx", (unsigned char *)d + i);
            v[n++] = d;
        }
        if (IS(op, "exit")) exit(atoi(v[0]));
        strcpy(result, "ok");
        int first = IS(op, "symlink") || IS(op, "hlink") || IS(op, "hold") ? 1 : 0;
        int two = IS(op, "rename") || IS(op, "link") || IS(op, "copy") || IS(op, "tmpfile");
        struct arg a, b; a.own = b.own = a.back = b.back = -1; a.fd = b.fd = AT_FDCWD;
        int nopath = IS(op, "hread") || IS(op, "hwrite") || IS(op, "bad") || !strncmp(op, "par", 3);
        if (!nopath) e = take(&a, v[first]);
        if (two && !e) e = take(&b, v[1]);
        if (e) goto end;
        int A = a.fd; char *P = a.path, *Q = b.path; int r = first || IS(op, "hread") || IS(op, "hwrite") ? v[0][0] - '0' : 0;
        if (IS(op, "read")) e = readit(&a, v[1], result);
        else if (IS(op, "put")) e = putit(&a, v[1], v[2]);
        else if (IS(op, "app")) { fd = openat(A, P, O_WRONLY | O_APPEND | O_CREAT, 0644); e = fd < 0 ? errno : writeall(fd, v[1], strlen(v[1]), "write"); }
        else if (IS(op, "excl")) { fd = openat(A, P, O_WRONLY | O_EXCL | O_CREAT, 0644); e = fd < 0 ? errno : writeall(fd, v[1], strlen(v[1]), "write"); }
        else if (IS(op, "creat")) { fd = openat(A, P, O_WRONLY | O_CREAT, 0644); if (fd < 0) e = errno; else close(fd); }
        else if (IS(op, "wopen")) {
            fd = openat(A, P, !strncmp(v[1], "rdwr", 4) ? O_RDWR : IS(v[1], "append") ? O_WRONLY | O_APPEND : O_WRONLY); e = fd < 0 ? errno : 0;
            if (fd >= 0 && IS(v[1], "zero")) DO(write(fd, "", 0));
            if (fd >= 0 && IS(v[1], "fail")) if (pwrite(fd, "x", 1, -5) >= 0 || write(fd, (char *)8, 3) >= 0) abort();
            if (fd >= 0 && IS(v[1], "rdwrmap")) { void *m = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0); if (m != MAP_FAILED) munmap(m, 4096); }
            if (fd >= 0) close(fd);
        } else if (IS(op, "upd")) {
            fd = openat(A, P, O_RDWR); long o = atol(v[1]); char c;
            if (fd < 0) e = errno;
            else if (IS(v[3], "mmap")) {
                struct stat st; fstat(fd, &st); char *m = mmap(0, st.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0); close(fd);
                memcpy(m + o, v[2], strlen(v[2])); munmap(m, st.st_size);
            } else { if (IS(v[3], "pwrite") && pread(fd, &c, 1, 0) < 0) abort(); if (lseek(fd, o, SEEK_SET) < 0) abort(); e = writeall(fd, v[2], strlen(v[2]), "write"); }
        } else if (IS(op, "trunc")) {
            if (IS(v[2], "truncate") && A == AT_FDCWD) DO(truncate(P, atol(v[1])));
            else { fd = openat(A, P, O_WRONLY); DO(fd); if (fd >= 0) { DO(ftruncate(fd, atol(v[1]))); close(fd); } }
        } else if (IS(op, "falloc")) { fd = openat(A, P, O_WRONLY); DO(fd); if (fd >= 0) { DO(fallocate(fd, 0, 0, atol(v[1]))); close(fd); }
        } else if (IS(op, "copy")) {
            fd = openat(A, P, O_RDONLY); DO(fd); int o = fd < 0 ? -1 : openat(b.fd, Q, O_WRONLY | O_CREAT | O_TRUNC, 0644); long g;
            if (fd >= 0) { DO(o); if (o >= 0) { do { g = IS(v[2], "sendfile") ? sendfile(o, fd, 0, 3000) : copy_file_range(fd, 0, o, 0, 3000, 0); DO(g); } while (g > 0); close(o); } close(fd); }
        } else if (IS(op, "reopen")) {
            char p[64]; int o = openat(A, P, O_PATH); DO(o);
            if (o >= 0) { sprintf(p, "/proc/self/fd/%d", o); fd = open(p, O_WRONLY | O_TRUNC); DO(fd); close(o); if (fd >= 0) e = writeall(fd, v[1], strlen(v[1]), "write"); }
        } else if (IS(op, "hold")) { DO(held[r] = openat(A, P, O_CLOEXEC | (v[2][0] == 'r' ? v[2][1] ? O_RDWR : O_RDONLY : v[2][0] == 'a' ? O_WRONLY | O_APPEND : O_WRONLY)));
        } else if (IS(op, "hread")) { char *t; long g = readall(held[r], &t); if (g < 0) e = errno; else sum((unsigned char *)t, g, result);
        } else if (IS(op, "hwrite")) { DO(write(held[r], v[1], strlen(v[1])));
        } else if (IS(op, "hlink")) { char p[64]; sprintf(p, "/proc/self/fd/%d", held[r]); DO(linkat(AT_FDCWD, p, A, P, AT_SYMLINK_FOLLOW));
        } else if (IS(op, "tmpfile")) {
            fd = openat(A, P, O_TMPFILE | O_RDWR, 0644); DO(fd);
            if (fd >= 0) {
                char p[64]; if (write(fd, v[2], strlen(v[2])) < 0) abort(); sprintf(p, "/proc/self/fd/%d", fd);
                if (*v[1]) { if (IS(v[3], "empty")) DO(linkat(fd, "", b.fd, Q, AT_EMPTY_PATH)); else DO(linkat(AT_FDCWD, p, b.fd, Q, AT_SYMLINK_FOLLOW)); }
                close(fd);
            }
        } else if (IS(op, "unlink")) DO(unlinkat(A, P, 0));
        else if (IS(op, "rmdir")) DO(unlinkat(A, P, AT_REMOVEDIR));
        else if (IS(op, "mkdir")) DO(mkdirat(A, P, 0755));
        else if (IS(op, "rename")) { int g = atoi(v[2]); if (g) DO(renameat2(A, P, b.fd, Q, g)); else DO(renameat(A, P, b.fd, Q)); }
        else if (IS(op, "link")) DO(linkat(A, P, b.fd, Q, IS(v[2], "0") ? 0 : AT_SYMLINK_FOLLOW));
        else if (IS(op, "symlink")) DO(symlinkat(v[0], A, P));
        else if (IS(op, "readlink")) { char t[4096]; long g = readlinkat(A, P, t, 4096); if (g < 0) e = errno; else sum((unsigned char *)t, g, result); }
        else if (IS(op, "stat")) {
            struct stat st; struct statx sx;
            if (IS(v[1], "access")) DO(faccessat(A, P, F_OK, 0));
            else if (IS(v[1], "statx")) { DO(statx(A, P, 0, STATX_BASIC_STATS, &sx)); if (!e && S_ISREG(sx.stx_mode)) sprintf(result, "%lld", (long long)sx.stx_size); }
            else if (IS(v[1], "fstat")) { fd = openat(A, P, O_PATH); DO(fd); if (fd >= 0) { fstat(fd, &st); close(fd); } }
            else DO(fstatat(A, P, &st, IS(v[1], "lstat") ? AT_SYMLINK_NOFOLLOW : 0));
        } else if (IS(op, "chdir")) { fd = openat(A, P, O_PATH | O_DIRECTORY); DO(fd); if (fd >= 0) { DO(fchdir(fd)); close(fd); }
            if (!e && a.back >= 0) { close(a.back); a.back = -1; }
        } else if (IS(op, "list")) {
            fd = openat(A, P, O_RDONLY | O_DIRECTORY); DO(fd);
            if (fd >= 0) { if (IS(v[1], "open")) close(fd); else { DIR *d = fdopendir(fd); int c = -2; while (readdir(d)) c++; closedir(d); sprintf(result, "%d", c); } }
        } else if (IS(op, "chmod")) { if (IS(v[2], "fchmod")) { fd = openat(A, P, O_RDONLY); DO(fd); if (fd >= 0) { DO(fchmod(fd, strtol(v[1], 0, 8))); close(fd); } } else DO(fchmodat(A, P, strtol(v[1], 0, 8), 0));
        } else if (IS(op, "utimes")) { struct timespec t[2] = {{ 5, 0 }, { 6, 7 }}; DO(utimensat(A, P, t, 0));
        } else if (IS(op, "setx") || IS(op, "getx")) {
            char p[4300]; if (A == AT_FDCWD) strcpy(p, P); else sprintf(p, "/proc/self/fd/%d/%s", A, P);
            if (*op == 's') DO(setxattr(p, "user.x", "v", 1, 0)); else { DO(listxattr(p, result, 0)); strcpy(result, "ok"); }
        } else if (IS(op, "chown")) DO(fchownat(A, P, 0, 0, AT_SYMLINK_NOFOLLOW));
        else if (IS(op, "mkfifo")) DO(mkfifoat(A, P, 0644));
        else if (IS(op, "fifo")) {
            DO(mkfifoat(A, P, 0644));
            if (!e) { pid_t c = fork(); char t[8]; if (!c) { fd = openat(A, P, O_WRONLY); _exit(write(fd, "hello", 5) != 5); } fd = openat(A, P, O_RDONLY); if (read(fd, t, 5) != 5) abort(); close(fd); waitpid(c, 0, 0); }
        } else if (IS(op, "sock")) {
            struct sockaddr_un u = { .sun_family = AF_UNIX }; strcpy(u.sun_path, P); int s = socket(AF_UNIX, SOCK_STREAM, 0), c = socket(AF_UNIX, SOCK_STREAM, 0);
            DO(bind(s, (void *)&u, sizeof u)); if (!e && (listen(s, 1) || connect(c, (void *)&u, sizeof u))) abort(); close(s); close(c);
        } else if (IS(op, "mknod")) DO(mknodat(A, P, S_IFREG | 0644, 0));
        else if (IS(op, "exec")) e = runit(&a, v[1], 0);
        else if (IS(op, "busy")) e = runit(&a, "fork", 1);
        else if (!strncmp(op, "par", 3)) {
            struct job j[64] = {0}; int m = 0, from = IS(op, "parread") ? 1 : 2;
            if (IS(op, "parapp")) { fd = -1; struct job one = { 'a', "", v[3], "" }; work(&one); for (; m < atoi(v[1]); m++) j[m] = (struct job){ 'a', v[2], v[3], "" }; }
            else for (int i = from; i < n; i++) j[m++] = (struct job){ from == 1 ? 'r' : 'w', v[1], v[i], "" };
            parallel(j, m, v[0]);
        } else if (IS(op, "daemon")) {
            int q[2], now = v[2][0] == '1'; if (pipe(q)) abort();
            pid_t c = fork();
            if (!c) {
                setsid(); if (fork()) _exit(0);
                close(0); close(1); close(2); close(q[0]);
                if (!now) { close(q[1]); usleep(300000); }
                e = putit(&a, v[1], "write");
                if (now) { if (write(q[1], &e, sizeof e) < 0) _exit(1); close(q[1]); usleep(200000); }
                _exit(0);
            }
            close(q[1]); waitpid(c, 0, 0); if (now && read(q[0], &e, sizeof e) != sizeof e) e = 999; close(q[0]);
        } else if (IS(op, "storm")) {
            struct sigaction s = { .sa_handler = tick, .sa_flags = SA_RESTART }; sigaction(SIGALRM, &s, 0);
            struct itimerval t = {{ 0, 1000 }, { 0, 1000 }}, z = {{ 0, 0 }, { 0, 0 }}; setitimer(ITIMER_REAL, &t, 0);
            for (int i = 0; i < atoi(v[1]) && !e; i++) e = readit(&a, "open", result);
            setitimer(ITIMER_REAL, &z, 0);
        } else if (IS(op, "bad")) {
            char t[5000]; memset(t, 'n', 4999); t[4999] = 0;
            if (IS(v[0], "fault")) DO(open((char *)8, O_RDONLY)); else if (IS(v[0], "badfd")) DO(read(999, t, 1));
            else if (IS(v[0], "dirfd")) DO(openat(999, "x", O_RDONLY)); else if (IS(v[0], "long")) DO(open(t, O_RDONLY)); else DO(open("", O_RDONLY));
        } else { fprintf(stderr, "unknown %s\n", op); return 99; }
    end:
        done(&b); done(&a);
        if (e) sprintf(result, "%d", e);
        printf("%s %s\n", op, result);
    }
    return 0;
}
