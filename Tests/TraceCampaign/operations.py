"""Runs the operations of a script like operations.c, as Python programs do: NAME HEX HEX ... a line."""
import ctypes, mmap, os, shutil, socket, stat, subprocess, sys, threading, time


class Arg:
    def __init__(self, text):
        self.fd, self.own, self.back = None, None, None
        parts = text.split(b'\1')
        self.path = parts[-1]
        if len(parts) == 3:
            mode = parts[0]
            self.own = os.open(parts[1], os.O_DIRECTORY | (os.O_RDONLY if mode in b'rc' else os.O_PATH))
            if mode == b'c':
                self.back = os.open('.', os.O_RDONLY | os.O_DIRECTORY)
                os.fchdir(self.own)
            elif mode == b'f':
                self.path = b'/proc/self/fd/%d/' % self.own + self.path
            else:
                self.fd = self.own

    def done(self):
        if self.back is not None:
            os.fchdir(self.back)
            os.close(self.back)
        if self.own is not None:
            os.close(self.own)

    def open(self, flags):
        return os.open(self.path, flags, 0o644, dir_fd=self.fd)


def summary(data):
    return '%d %d' % (len(data), sum(data) % 65521)


def drain(fd):
    data = b''
    while True:
        piece = os.read(fd, 65536)
        if not piece:
            return data
        data += piece


def read(a, how):
    if how == b'builtin' and a.fd is None:
        with open(a.path, 'rb') as f:
            return summary(f.read())
    fd = a.open(os.O_RDONLY | (os.O_NOFOLLOW if how == b'nofollow' else 0))
    try:
        if stat.S_ISDIR(os.fstat(fd).st_mode):
            os.read(fd, 1)
        if how == b'mmap' and os.fstat(fd).st_size:
            with mmap.mmap(fd, 0, prot=mmap.PROT_READ) as m:
                return summary(bytes(m))
        if how in (b'procfd', b'devfd'):
            with open(('/proc/self/fd/%d' if how == b'procfd' else '/dev/fd/%d') % fd, 'rb') as f:
                return summary(f.read())
        if how == b'child':
            return summary(subprocess.run(['/bin/cat'], stdin=fd, stdout=subprocess.PIPE).stdout)
        return summary(drain(fd))
    finally:
        os.close(fd)


def put(a, data, how=b'write', flags=os.O_TRUNC | os.O_CREAT):
    if how == b'builtin' and a.fd is None:
        with open(a.path, 'wb') as f:
            f.write(data)
        return
    fd = a.open((os.O_RDWR if how == b'mmap' else os.O_WRONLY) | flags)
    try:
        if how == b'mmap' and data:
            os.ftruncate(fd, len(data))
            with mmap.mmap(fd, len(data)) as m:
                m[:] = data
        elif how == b'child':
            subprocess.run(['/bin/cat'], input=data, stdout=None if False else fd)
        elif how == b'pwrite':
            os.pwrite(fd, data, 0)
        else:
            os.write(fd, data)
    finally:
        os.close(fd)


def guarded(function, *args):
    try:
        return function(*args) or 'ok'
    except OSError as error:
        return str(error.errno)


def worker(kind, data, text):
    def go():
        a = Arg(b'd' + text[1:] if text.startswith(b'c\1') else text)
        try:
            return read(a, b'open') if kind == 'r' else put(a, data) if kind == 'w' else \
                put(a, data, flags=os.O_APPEND | os.O_CREAT)
        finally:
            a.done()
    return guarded(go)


def parallel(how, jobs):
    out = [''] * len(jobs)
    if how == b'thread':
        def go(i):
            out[i] = worker(*jobs[i])
        threads = [threading.Thread(target=go, args=(i,)) for i in range(len(jobs))]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
    else:
        children = []
        for i, job in enumerate(jobs):
            r, w = os.pipe()
            pid = os.fork()
            if pid == 0:
                os.write(w, worker(*job).encode())
                os._exit(0)
            os.close(w)
            children.append((pid, r))
        for i, (pid, r) in enumerate(children):
            out[i] = drain(r).decode()
            os.close(r)
            os.waitpid(pid, 0)
    return ' '.join(out)


held = {}


def here():
    """With a descriptor os.link calls linkat, else link, which never follows."""
    return os.open('.', os.O_PATH)


def run(op, v):
    if op == 'hread':
        return summary(drain(held[v[0]]))
    if op == 'hwrite':
        os.write(held[v[0]], v[1])
        return
    if op == 'parread':
        return parallel(v[0], [('r', b'', p) for p in v[1:]])
    if op == 'parput':
        return parallel(v[0], [('w', v[1], p) for p in v[2:]])
    if op == 'parapp':
        worker('a', b'', v[3])
        return parallel(v[0], [('a', v[2], v[3])] * int(v[1]))
    first = 1 if op in ('symlink', 'hold', 'hlink') else 0
    a, b = Arg(v[first]), None
    try:
        if op in ('rename', 'link', 'copy', 'tmpfile'):
            b = Arg(v[1])
        P, d = a.path, a.fd
        if op == 'read':
            return read(a, v[1])
        if op == 'put':
            put(a, v[1], v[2])
        elif op == 'app':
            put(a, v[1], flags=os.O_APPEND | os.O_CREAT)
        elif op == 'excl':
            put(a, v[1], flags=os.O_EXCL | os.O_CREAT)
        elif op == 'creat':
            os.close(a.open(os.O_WRONLY | os.O_CREAT))
        elif op == 'wopen':
            fd = a.open(os.O_RDWR if v[1].startswith(b'rdwr') else os.O_WRONLY)
            if v[1] == b'zero':
                os.write(fd, b'')
            os.close(fd)
        elif op == 'upd':
            fd = a.open(os.O_RDWR)
            if v[3] == b'mmap':
                with mmap.mmap(fd, 0) as m:
                    m[int(v[1]):int(v[1]) + len(v[2])] = v[2]
            else:
                if v[3] == b'pwrite':
                    os.pread(fd, 1, 0)
                os.pwrite(fd, v[2], int(v[1]))
            os.close(fd)
        elif op == 'trunc':
            if v[2] == b'truncate' and d is None:
                os.truncate(P, int(v[1]))
            else:
                fd = a.open(os.O_WRONLY)
                os.ftruncate(fd, int(v[1]))
                os.close(fd)
        elif op == 'copy':
            if v[2] == b'copyfile' and d is None and b.fd is None:
                shutil.copyfile(P, b.path)
            else:
                fd = a.open(os.O_RDONLY)
                try:
                    o = b.open(os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
                    while os.sendfile(o, fd, None, 3000) if v[2] == b'sendfile' else os.copy_file_range(fd, o, 3000):
                        pass
                    os.close(o)
                finally:
                    os.close(fd)
        elif op == 'hold':
            held[v[0]] = a.open({b'r': os.O_RDONLY, b'rw': os.O_RDWR, b'a': os.O_WRONLY | os.O_APPEND}.get(v[2], os.O_WRONLY))
        elif op == 'hlink':
            os.link('/proc/self/fd/%d' % held[v[0]], P, src_dir_fd=here(), dst_dir_fd=d, follow_symlinks=True)
        elif op == 'tmpfile':
            fd = a.open(os.O_TMPFILE | os.O_RDWR)
            try:
                os.write(fd, v[2])
                if v[1]:
                    os.link('/proc/self/fd/%d' % fd, b.path, src_dir_fd=here(), dst_dir_fd=b.fd, follow_symlinks=True)
            finally:
                os.close(fd)
        elif op == 'unlink':
            os.unlink(P, dir_fd=d)
        elif op == 'rmdir':
            os.rmdir(P, dir_fd=d)
        elif op == 'mkdir':
            os.mkdir(P, dir_fd=d)
        elif op == 'rename':
            os.rename(P, b.path, src_dir_fd=d, dst_dir_fd=b.fd)
        elif op == 'link':
            os.link(P, b.path, src_dir_fd=here() if d is None else d, dst_dir_fd=b.fd, follow_symlinks=v[2] != b'0')
        elif op == 'symlink':
            os.symlink(v[0], P, dir_fd=d)
        elif op == 'readlink':
            return summary(os.readlink(P, dir_fd=d))
        elif op == 'stat':
            s = os.stat(P, dir_fd=d, follow_symlinks=v[1] != b'lstat')
            if v[1] == b'statx' and stat.S_ISREG(s.st_mode):
                return str(s.st_size)
        elif op == 'chdir':
            fd = a.open(os.O_PATH | os.O_DIRECTORY)
            os.fchdir(fd)
            os.close(fd)
            if a.back is not None:
                os.close(a.back)
                a.back = None
        elif op == 'list':
            if v[1] == b'scandir' and d is None:
                with os.scandir(P) as entries:
                    return str(len(list(entries)))
            fd = a.open(os.O_RDONLY | os.O_DIRECTORY)
            try:
                if v[1] != b'open':
                    return str(len(os.listdir(fd)))
            finally:
                os.close(fd)
        elif op == 'chmod':
            os.chmod(P, int(v[1], 8), dir_fd=d)
        elif op == 'utimes':
            os.utime(P, ns=(5, 6), dir_fd=d)
        elif op == 'chown':
            os.chown(P, 0, 0, dir_fd=d, follow_symlinks=False)
        elif op == 'mkfifo':
            os.mkfifo(P, dir_fd=d)
        elif op == 'sock':
            with socket.socket(socket.AF_UNIX) as s:
                s.bind(P)
        elif op == 'exec':
            full = P if d is None else b'/proc/self/fd/%d/' % d + P
            if b'/' not in full:
                full = b'./' + full         # subprocess would search PATH
            if v[1] == b'spawn':
                pid = os.posix_spawn(full, ['prog'], os.environ, file_actions=[(os.POSIX_SPAWN_OPEN, 1, '/dev/null', os.O_WRONLY, 0)])
                os.waitpid(pid, 0)
            else:
                subprocess.run(['prog'], executable=full, stdout=subprocess.DEVNULL, close_fds=False)
            return '0'
        elif op == 'storm':
            import signal
            signal.signal(signal.SIGALRM, lambda *x: None)
            signal.setitimer(signal.ITIMER_REAL, .001, .001)
            try:
                for i in range(int(v[1])):
                    r = read(a, b'open')
            finally:
                signal.setitimer(signal.ITIMER_REAL, 0)
            return r
        else:
            raise SystemExit('unknown ' + op)
    finally:
        if b:
            b.done()
        a.done()


def main(script):
    with open(script) as f:
        lines = f.read().splitlines()
    for line in lines:
        op, *v = line.split(' ')
        v = [b'' if x == '-' else bytes.fromhex(x) for x in v]
        if op == 'exit':
            sys.stdout.flush()
            os._exit(int(v[0]))
        os.write(1, ('%s %s\n' % (op, guarded(run, op, v))).encode())


main(sys.argv[-1])
