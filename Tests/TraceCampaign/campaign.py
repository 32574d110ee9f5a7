#!/usr/bin/env python3
"""Test campaign for the file tracer: random projects, random programs, an independent truth.

    campaign.py [--from SEED] [--count N] [--driver PATH] [--keep] [--work FOLDER] [--no-shrink] [-v]

For every seed a project TOP/p (and a folder TOP/o outside of it) is made up, and a program of 3 to 12
operations, run by sh + coreutils, by a C program (operations.c, linked dynamically or statically), by Python
(operations.py), or by a mixture.  model.py and shell.py say what it does and what the report has to contain.
The program runs twice in the same fresh project, without and with the driver: exit status, stdout, stderr and
the tree afterwards (contents, modes, links, xattrs) have to be the same.
Kinds of disagreement: MISSED (a letter which has to be there), WRONG (one which must not), FIELD (size, time,
inode or mode are not those of the first use), NOTE (a note without a cause), DIFFERS (the program ran
differently), BROKEN (no complete report), SELF (the model disagrees with the disk: a bug of this campaign).

A report may be more cautious than the truth: it may name a use that was not one, so that a step runs again for
nothing. That is counted apart, and only listed with -v. Everything else is an error.
"""
import argparse, copy, os, random, re, shutil, stat, subprocess, sys, time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from model import Node, Skip, SEP
from shell import Shell, COMMAND, q

HERE = os.path.dirname(os.path.abspath(__file__))
PYTHON = os.path.realpath(sys.executable)
NAMES = ['a', 'b', 'c.txt', 'd0', 'x y', 'new\nline', 'back\\slash', '-dash', '\u00fc', '\u65e5\u672c', '*', 'raw\udcff',
         '.hid', '%s\\012', 'L' * 250, "quo'te", 'semi;$x', 'tab\tx', 'deep', 'e', 'f', 'g.c', '\\', 'M\u00e4' * 84]


class Generator:
    def __init__(self, seed, top, programs):
        self.r, self.top, self.p, self.programs = random.Random(seed), top, top + '/p', programs
        self.sim = Shell(top)

    # ---- the project
    def name(self, folder):
        for i in range(50):
            n = self.r.choice(NAMES) + (self.r.choice(['', '', '1', '2']) if i > 3 else '')
            if n not in folder.names and len(os.fsencode(n)) < 256:
                return n
        return 'n%d' % self.r.randrange(10 ** 6)

    def data(self):
        return self.r.choice(['', 'x', 'one\ntwo\n', 'zwei\nein', 'Q' * 100, 'tail\n' * 4, 'z%d\n' % self.r.randrange(99)])

    def project(self):
        s, r = self.sim, self.r
        p, o = Node('d', mode=0o755), Node('d', mode=0o755)
        s.put_in(s.root, 'p', p), s.put_in(s.root, 'o', o)
        dirs = [p]
        for i in range(r.randint(2, 6)):
            d, up = Node('d', mode=0o755), r.choice(dirs[-2:] + [p])
            s.put_in(up, self.name(up), d)
            dirs.append(d)
        if r.random() < .3:
            for i in range(r.randint(5, 12)):
                d = Node('d', mode=0o755)
                s.put_in(dirs[-1], r.choice(['deep', 'e', 'x y', 'L' * 250]), d)
                dirs.append(d)
        files = []
        for i in range(r.randint(4, 10)):
            f, up = Node('f', os.fsencode(self.data()) * r.choice([1, 1, 1, 1000])), r.choice(dirs)
            s.put_in(up, self.name(up), f)
            files.append(f)
        for up in (o, o):
            s.put_in(up, self.name(up), Node('f', os.fsencode(self.data())))
        if r.random() < .5:
            s.put_in(o, 'od', Node('d', mode=0o755))
            s.put_in(o.names['od'], 'of', Node('f', b'outside\n'))
        for i in range(r.randint(0, 4)):
            up = r.choice(dirs + [o] if r.random() < .1 else dirs)
            s.put_in(up, self.name(up), r.choice(files))
        for i in range(r.randint(0, 2)):
            up = r.choice(dirs)
            s.put_in(up, 'prog%d' % i, Node('f', open(self.programs[r.random() < .3], 'rb').read(), 0o755))
        for i in range(r.randint(0, 3)):
            up = r.choice(dirs)
            progs = self.paths(lambda n: n.data[:4] == b'\x7fELF', files=True)
            interpreter = r.choice(['/bin/sh', '/bin/sh', self.p + '/missing'] + progs + progs)
            if '\n' in interpreter or len(os.fsencode(interpreter)) > 120 or ' ' in interpreter or '\t' in interpreter:
                interpreter = '/bin/sh'
            s.put_in(up, 'scr%d' % i, Node('f', os.fsencode('#!%s\necho hi $#\n' % interpreter), r.choice([0o755, 0o755, 0o644])))
        for i in range(r.randint(2, 7)):
            up, kind = r.choice(dirs), r.random()
            every = self.paths(lambda n: n.kind == ('f' if kind < .35 else 'd' if kind < .65 else 'l'))
            n = self.name(up)
            target = r.choice(every) if every and kind < .8 else self.p + '/' + r.choice(['gone', 'd0/gone', n])
            if r.random() < .7:
                target = os.path.relpath(target, up.path())
            if len(target.encode('utf8', 'surrogateescape')) < 1000:
                s.put_in(up, n, Node('l', target))
        s.begin()
        s.cwd = r.choice([p, p, p, r.choice(dirs), o])
        self.cwd = s.cwd.path()

    def paths(self, test=lambda n: True, outside=0, files=False):
        s = self.sim
        return [x for x, n in s.tree(s.root, self.top)
                if test(n) and x.count('/') > self.top.count('/') + 1 and (n.kind == 'f' or not files) and
                (x.startswith(self.p + '/') or self.r.random() < outside)]

    # ---- the text of paths
    def expr(self, p, plain=False):
        """A text for the true path p"""
        r, s, start = self.r, self.sim, None
        if r.random() < .3:
            links = []
            for x, n in s.tree(s.root, self.top):
                if n.kind == 'l':
                    t = self.silent(x)
                    if t and t.kind == 'd' and (p + '/').startswith(t.path() + '/') and x != p and not x.startswith(p + '/'):
                        links.append((x, t.path()))
            if links:
                x, d = r.choice(links)
                p = x + p[len(d):]
                if p == x:
                    return self.expr(x) if r.random() < .5 else x
        here = s.cwd.path()
        text = p if r.random() < .3 else os.path.relpath(p, here)
        if r.random() < .3 and not text.startswith('/'):
            text = './' + text
        if r.random() < .3:
            parts = text.split('/')
            i = r.randrange(len(parts))
            if i and parts[i - 1]:
                parts.insert(i, '' if r.random() < .5 else '.')
                text = '/'.join(parts)
        if r.random() < .2 and '/' in text:
            head, tail = text.rsplit('/', 1)
            n = self.silent(head)
            subs = [x for x, m in n.names.items() if m.kind == 'd'] if n and n.kind == 'd' else []
            if subs:
                text = head + '/' + r.choice(subs) + '/../' + tail
        if not text.startswith('/') and (text.startswith('-') or '/' not in text and r.random() < .3):
            text = './' + text
        return text

    def silent(self, path):
        s, s.quiet = self.sim, True
        keep = copy.copy(s.any)
        try:
            return s.walk(path)[2]
        except Skip:
            return None
        finally:
            s.quiet = False
            s.any = keep

    def arg(self, p):
        """A path argument of the C or Python program"""
        if self.r.random() < .3 and p not in (self.p, self.top + '/o'):
            up = os.path.dirname(p)
            return self.r.choice('drcf') + SEP + self.expr(up) + SEP + p[len(up) + 1:]
        return self.expr(p)

    def some(self, kinds):
        x = self.paths(lambda n: n.kind in kinds, .1)
        return self.r.choice(x) if x else self.p

    def new(self):
        """A path which is not there (mostly), in a folder which is"""
        r, s = self.r, self.sim
        ups = [x for x, n in s.tree(s.root, self.top) if n.kind == 'd' and x != self.top and (x.startswith(self.p) or r.random() < .15)]
        up = r.choice(ups)
        return up + '/' + self.name(s.walk(up)[2])

    def path(self, wish):
        """f, d, l, n(ew), e(xecutable), x (anything): mostly that, seldom something else"""
        if self.r.random() < .08:
            wish = self.r.choice('fdlnxm')
        if wish == 'm':
            return self.r.choice([self.some('f') + '/under', self.p + '/no/such', self.p + '/' + 'N' * 256, self.new()])
        if wish == 'n':
            return self.new()
        if wish == 'e':
            x = self.paths(lambda n: n.kind == 'f' and n.mode & 0o111, .1)
            return self.r.choice(x) if x else self.some('f')
        if wish == 'f' and self.r.random() < .2:
            wish = 'l'
        return self.some('fdlps' if wish == 'x' else wish)

    # ---- operations
    def call(self, language):
        r, A = self.r, lambda wish: self.arg(self.path(wish))
        c = language == 'c'
        fo = lambda: r.choice('fffn')           # file or new
        reg = str(r.randrange(3))
        held = list(self.sim.held)
        ops = [
            lambda: ('read', A('f'), r.choice(['open', 'pread', 'readv', 'mmap', 'procfd', 'devfd', 'openat2', 'fopen', 'dup', 'sendfile',
                                               'splice', 'child', 'nofollow'] if c else ['open', 'builtin', 'mmap', 'procfd', 'devfd', 'child', 'nofollow'])),
            lambda: ('read', A(r.choice('mnd')), 'open'),
            lambda: ('put', A(fo()), self.data(), r.choice(['write', 'pwrite', 'writev', 'mmap', 'splice', 'child', 'openat2', 'creat', 'passed']
                                                           if c else ['write', 'builtin', 'mmap', 'child', 'pwrite'])),
            lambda: ('app', A(fo()), self.data()), lambda: ('excl', A(fo()), self.data()), lambda: ('creat', A(fo())),
            lambda: ('wopen', A(r.choice('fffm')), r.choice(['w', 'rdwr', 'append', 'zero', 'fail', 'rdwrmap'] if c else ['w', 'rdwr', 'zero'])),
            lambda: ('upd', A('f'), str(r.choice([0, 0, 1, 3, 200])), self.data(), r.choice(['pwrite', 'lseek', 'mmap'])),
            lambda: ('trunc', A('f'), str(r.choice([0, 1, 8, 5000])), r.choice(['truncate', 'ftruncate'])),
            lambda: ('copy', A('f'), A(fo()), r.choice(['sendfile', 'cfr'] + ([] if c else ['copyfile']))),
            lambda: ('hold', reg, A('f'), r.choice(['r', 'w', 'rw', 'a'])),
            lambda: ('hold', reg, A('f'), r.choice(['r', 'w', 'rw', 'a'])),
            lambda: ('hread', r.choice(held or ['0'])), lambda: ('hwrite', r.choice(held or ['0']), self.data()),
            lambda: ('hlink', r.choice(held or ['0']), self.expr(self.path('n'))),
            lambda: ('tmpfile', A('d'), r.choice(['', self.expr(self.path('n'))]), self.data(), r.choice(['empty', 'proc'])),
            lambda: ('unlink', A(r.choice('ffll'))), lambda: ('rmdir', A('d')), lambda: ('mkdir', A('n')), lambda: ('mkdir', A('d')),
            lambda: ('rename', A('f'), A(r.choice('nnf')), r.choice('0001') if c else '0'),
            lambda: ('rename', A('d'), A(r.choice('nnnd')), r.choice('0001') if c else '0'),
            lambda: ('rename', A(r.choice('lx')), A(r.choice('nnx')), r.choice('0012') if c else '0'),
            lambda: ('rename', A(r.choice('fdx')), A(r.choice('fdx')), '2' if c else '0'),
            lambda: ('link', A('f'), A('n'), r.choice('01')), lambda: ('link', A(r.choice('lx')), A(r.choice('nx')), '0'),
            lambda: ('symlink', self.expr(self.path(r.choice('fdn'))), A('n')),
            lambda: ('symlink', r.choice([self.path('f'), self.path('d'), 'gone', '..', '.']), A('n')),
            lambda: ('readlink', A(r.choice('llf'))),
            lambda: ('stat', A(r.choice('fdlnm')), r.choice(['stat', 'lstat', 'access', 'statx', 'fstat'] if c else ['stat', 'lstat', 'statx'])),
            lambda: ('stat', A('n'), 'stat'), lambda: ('chdir', A('d')),
            lambda: ('list', A('d'), r.choice(['list', 'list', 'scandir', 'open'])), lambda: ('chmod', A(r.choice('fd')), r.choice(['0755', '0644', '0700']), r.choice(['chmod', 'fchmod'] if c else ['chmod'])),
            lambda: ('utimes', A('f')), lambda: ('chown', A('x')), lambda: ('mkfifo', A('n')), lambda: ('sock', self.expr(self.path('n'))),
            lambda: ('exec', A('e'), r.choice(['fork', 'vfork', 'spawn', 'execveat', 'fexecve'] if c else ['fork', 'spawn'])),
            lambda: ('exec', A('e'), r.choice(['vfork', 'spawn'])), lambda: ('exec', A(r.choice('fmn')), 'fork'),
            lambda: ('parread', r.choice(['thread', 'fork'])) + tuple(A('f') for i in range(r.randint(2, 8))),
            lambda: ('parput', r.choice(['thread', 'fork']), self.data()) + tuple(A(fo()) for i in range(r.randint(2, 6))),
            lambda: ('parapp', r.choice(['thread', 'fork']), str(r.randint(2, 9)), self.data(), A(fo())),
            lambda: ('storm', A('f'), '200'),
        ]
        if c:
            ops += [lambda: ('falloc', A('f'), str(r.choice([1, 50, 9000]))), lambda: ('reopen', A('f'), self.data()),
                    lambda: ('setx', A(r.choice('fd'))), lambda: ('fifo', A('n')), lambda: ('mknod', A('n')), lambda: ('busy', A('e')),
                    lambda: ('daemon', A(fo()), self.data(), '1'), lambda: ('bad', r.choice(['fault', 'badfd', 'dirfd', 'long', 'empty']))]
        op = r.choice(ops)()
        if op[0] in ('rename', 'link', 'copy', 'tmpfile'):      # with two paths: no fchdir for one of them
            op = tuple('d' + x[1:] if x.startswith('c' + SEP) else x for x in op)
        return op

    def command(self):
        r = self.r

        def A(wish):
            text = self.expr(self.path(wish))
            return text if text.startswith('/') else './' + text
        fo = lambda: r.choice('fffn')
        kind = r.choice(sorted(COMMAND))
        two = {'cp': 'fo', 'cpp': 'fo', 'install': 'fo', 'cmp': 'ff', 'cpr': 'dn', 'cpa': 'dn', 'tar': 'dn', 'ln': 'fn', 'pipe': 'fo'}
        if kind in two:
            return (kind,) + tuple(A(fo() if w == 'o' else w) for w in two[kind])
        if kind == 'mv':
            return kind, A(r.choice('fdl')), A(r.choice('nnf'))
        if kind in ('lns', 'lnsf'):
            return kind, r.choice([self.path('f'), self.path('d'), 'gone', self.expr(self.path('x'))]), A('l' if kind == 'lnsf' else 'n')
        if kind in ('echo', 'group', 'append', 'teea', 'dd'):
            return kind, self.data(), A(fo())
        if kind == 'truncate':
            return kind, str(r.choice([0, 3, 500])), A(fo())
        if kind == 'tee' or kind == 'background':
            return (kind, self.data()) + tuple(A(fo()) for i in range(r.randint(1, 3)))
        if kind == 'cat':
            return (kind,) + tuple(A(r.choice('fffm')) for i in range(r.randint(1, 3)))
        if kind == 'test':
            return kind, r.choice('efdL'), A(r.choice('fdlnm'))
        if kind == 'chmod':
            return kind, r.choice(['0755', '0600', '+x']) if kind != 'chmod' else r.choice(['0755', '0600']), A(r.choice('fd'))
        if kind == 'mkdirp':
            return kind, A(r.choice('ddn')) + r.choice(['', '/m1', '/m1/m2', '/m1/m2/m3'])
        wish = {'script': 'e', 'source': 'e', 'shfile': 'e', 'mkdir': 'nnd', 'rmdir': 'd', 'rm': 'ffl', 'rmf': 'ffln', 'nothing': 'fn', 'rdwr': 'fn',
                'touch': 'fndl', 'readlink': 'lf', 'realpath': 'lfdn', 'statf': 'fdln'}.get(kind)
        if wish is None:
            wish = 'd' if kind in ('grep', 'ls', 'lsl', 'find', 'du', 'glob', 'cd', 'rmrf', 'mktemp') else 'f'
        return kind, A(r.choice(wish))

    def program(self):
        """-> list of [language, operations]; the model has executed it"""
        r = self.r
        first = r.choice(['c', 'c', 'c', 's', 'py', 'sh', 'sh', 'mix', 'mix'])
        chunks = [[r.choice(['c', 's', 'py', 'sh', 'sh']) if first == 'mix' else first, []] for i in range(r.randint(2, 4) if first == 'mix' else 1)]
        left = r.randint(3, 12)
        for chunk in chunks:
            want = max(1, left // len(chunks))
            begin_chunk(self.sim)
            for tries in range(want * 6):
                if len(chunk[1]) >= want:
                    break
                op = self.command() if chunk[0] == 'sh' else self.call('py' if chunk[0] == 'py' else 'c')
                trial = copy.deepcopy(self.sim)
                try:
                    trial.shell(op) if chunk[0] == 'sh' else trial.run(op)
                except Skip:
                    continue
                self.sim = trial
                chunk[1].append(op)
            end_chunk(self.sim, chunk[0])
        if first in 'cs' and r.random() < .08:
            op = 'daemon', self.new(), 'late\n', '0'       # last: it goes on after the end
            try:
                copy.deepcopy(self.sim).run(op)
                chunks[0][1].append(op)
            except Skip:
                pass
        self.status = r.choice([0, 0, 0, 1, 7, 42])
        return chunks if first == 'mix' else chunks[:1], first == 'mix'


def begin_chunk(sim):
    sim.chunk_cwd, sim.held = sim.cwd, {}


def end_chunk(sim, language):
    if language != 'sh':
        sim.cwd, sim.held = sim.chunk_cwd, {}


# ---- disk
def build(sim, top):
    """Makes the project of an untouched model on the disk."""
    shutil.rmtree(top, ignore_errors=True)
    seen = {}
    for p, n in sim.tree(sim.root, top):
        if n in seen:
            os.link(seen[n], p, follow_symlinks=False)
            continue
        seen[n] = p
        if n.kind == 'd':
            os.mkdir(p)
        elif n.kind == 'l':
            os.symlink(n.data, p)
        else:
            with open(p, 'wb') as f:
                f.write(n.data)
            os.chmod(p, n.mode)
    for p, n in sim.tree(sim.root, top):
        os.utime(p, (1000000000, 1000000000 + len(p)), follow_symlinks=False)
    os.mkdir(top + '/x')


def walk(top):
    for sub in ('p', 'o'):
        yield top + '/' + sub
        for folder, dirs, files in os.walk(top + '/' + sub):
            for n in dirs + files:
                yield folder + '/' + n


def snapshot(top):
    tree, inodes = {}, {}
    for p in sorted(walk(top)):
        s = os.lstat(p)
        kind = {stat.S_IFREG: 'f', stat.S_IFDIR: 'd', stat.S_IFLNK: 'l', stat.S_IFIFO: 'p', stat.S_IFSOCK: 's'}[stat.S_IFMT(s.st_mode)]
        data = open(p, 'rb').read() if kind == 'f' else os.readlink(p) if kind == 'l' else b''
        first = inodes.setdefault(s.st_ino, p)
        tree[p] = kind, data, first, s.st_mode, os.listxattr(p, follow_symlinks=False)
    return tree


def expected(sim):
    tree, inodes = {}, {}
    for p, n in sorted(sim.tree(sim.root, sim.top)):
        if p != sim.top:
            tree[p] = n.kind, (bytes(n.data) if n.kind == 'f' else n.data if n.kind == 'l' else b''), inodes.setdefault(n, p)
    return tree


# ---- one program
class Case:
    def __init__(self, seed, options):
        self.seed, self.options = seed, options
        self.top = options.work + '/t'
        self.generator = g = Generator(seed, self.top, options.programs)
        g.project()
        self.fresh = copy.deepcopy(g.sim)
        self.chunks, self.mixed = g.program()
        self.status, self.cwd = g.status, g.cwd
        self.dash_c = g.r.random() < .4

    def simulate(self, chunks):
        sim = copy.deepcopy(self.fresh)
        for language, ops in chunks:
            begin_chunk(sim)
            for op in ops:
                sim.shell(op) if language == 'sh' else sim.run(op)
            end_chunk(sim, language)
        return sim

    def script(self, chunks):
        """Writes what is to run to TOP/x -> the arguments"""
        x, lines = self.top + '/x/', []
        for i, (language, ops) in enumerate(chunks):
            if language == 'sh':
                lines += [COMMAND[op[0]](*op[1:]) for op in ops]
                continue
            name = x + 'script%d' % i
            with open(name, 'w') as f:
                for op in ops:
                    f.write(' '.join([op[0]] + [os.fsencode(a).hex() or '-' for a in op[1:]]) + '\n')
                f.write('exit %s\n' % str(self.status).encode().hex())
            if language == 'py':
                shutil.copy(HERE + '/operations.py', x + 'operations.py')
                args = [PYTHON, '-B', x + 'operations.py', name]
                if self.dash_c:
                    args = [PYTHON, '-B', '-c', 'import sys; exec(open(sys.argv[1]).read())', x + 'operations.py', name]
            else:
                args = [self.options.programs[2 if language == 'c' else 3], name]
            if not self.mixed:
                return args
            lines.append(' '.join(map(q, args)))
        with open(x + 'main.sh', 'wb') as f:
            f.write(os.fsencode('\n'.join(lines + ['exit %d' % self.status]) + '\n'))
        return ['/bin/sh', x + 'main.sh']

    def execute(self, chunks, prefix):
        build(self.fresh, self.top)
        args = self.script(chunks)
        os.chmod(self.top, 0o755)
        self.stats = {p: os.lstat(p) for p in walk(self.top)}
        if prefix and os.path.exists(prefix[2]):
            os.unlink(prefix[2])
        try:
            r = subprocess.run(prefix + args, cwd=self.cwd, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               timeout=60, env={'PATH': '/usr/bin:/bin', 'HOME': '/nonexistent', 'LC_ALL': 'C.UTF-8', 'TMPDIR': self.options.work})
        except subprocess.TimeoutExpired:
            return ('hangs',), {}
        if any(op[0] == 'daemon' and op[3] == '0' for _, ops in chunks for op in ops):
            time.sleep(.8)
        return (r.returncode, r.stdout, r.stderr), snapshot(self.top)

    def check(self, chunks):
        """-> list of (kind, letter, path, remark)"""
        sim = self.simulate(chunks)
        bad = []
        plain, tree = self.execute(chunks, [])
        self.plain = plain
        want = expected(sim)
        for d, n, data, p in sim.late:
            want[p] = 'f', data, p
        have = {p: v[:3] for p, v in tree.items()}
        for p in sorted(set(want) | set(have)):
            if want.get(p) != have.get(p):
                bad.append(('SELF', '', p, 'model %.80r, disk %.80r' % (want.get(p), have.get(p))))
        if chunks[0][0] != 'sh' and not self.mixed and '\n'.join(sim.out + ['']).encode() != plain[1]:
            said = plain[1].decode().split('\n')
            bad += [('SELF', '', '', 'model says %r, program %r' % (a, b)) for a, b in zip(sim.out, said) if a != b][:1] or \
                [('SELF', '', '', 'output %r' % (plain,))]
        report = self.options.work + '/report'
        traced, tree2 = self.execute(chunks, [self.options.driver, self.top + '/p', report])
        for name, a, b in zip(['status', 'stdout', 'stderr'], plain, traced):
            if a != b:
                bad.append(('DIFFERS', '', name, '%.300r without, %.300r with the driver' % (a, b)))
        for p in sorted(set(tree) | set(tree2)):
            if tree.get(p) != tree2.get(p):
                bad.append(('DIFFERS', '', p, '%.200r without, %.200r with the driver' % (tree.get(p), tree2.get(p))))
        if any(b[0] == 'SELF' for b in bad):
            return bad
        return bad + self.compare(sim, want, report, any(x[0] == 'py' for x in chunks))

    def compare(self, sim, want, report, python):
        bad, lines, notes = [], {}, []
        try:
            text = open(report, 'rb').read().split(b'\n')
        except OSError:
            return [('BROKEN', '', report, 'no report')]
        if text[-1] != b'' or not re.fullmatch(rb'end \d+', text[-2]):
            return [('BROKEN', '', report, 'no end line')]
        for line in text[:-2]:
            letters, *fields, path = line.split(b'\t', 6)
            path = os.fsdecode(re.sub(rb'\\(012|134)', lambda m: bytes([int(m[1], 8)]), path))
            if letters == b'N':
                notes.append(path)
            elif letters == b'P':
                pass
            elif path == self.top + '/p' or path.startswith(self.top + '/p/'):
                if path in lines:
                    bad.append(('WRONG', '', path, 'two lines'))
                lines[path] = letters.decode(), [f.decode() for f in fields]
        self.lines = lines
        p = self.top + '/p'
        inside = lambda x: x == p or x.startswith(p + '/')
        must = {x: set(v) for x, v in sim.must.items() if inside(x)}
        may = {x: set(v) for x, v in sim.may.items() if inside(x)}
        touched = {x for x in sim.touched if inside(x)}
        wrote, note, notable = set(sim.wrote), False, False
        for x, node in sim.pend:                    # other names of files changed in place
            if not inside(x):
                notable = True                      # outside: a note is right, but not asked for
            else:
                if x in touched:
                    may.setdefault(x, set()).update('R')
                    if x in want and x in sim.start:
                        wrote.add(x)
                else:
                    note = note or x not in sim.weak
                    notable = True
                    may.setdefault(x, set()).update('WR')
        touched |= set(may) - sim.weak
        for x in touched:
            a, z = x in sim.start, x in want
            if x in wrote:
                must.setdefault(x, set()).update('W' if z else 'D' if a else 'T')
            if x in sim.mkdirs:
                (must if z and not a and want[x][0] == 'd' else may).setdefault(x, set()).add('F')
            if not a:
                may.setdefault(x, set()).add('A')
                if x in wrote:
                    may.setdefault(x, set()).update('M')
        allowed = {}
        for x in list(touched | sim.weak) + [self.cwd]:
            while inside(x):
                allowed[x] = 'S'
                x = os.path.dirname(x)
        if python and self.dash_c:
            allowed[self.cwd] = 'SL'
        for x in sorted(set(must) | set(lines)):
            have = set(lines.get(x, ('',))[0])
            need = must.get(x, set())
            ok = need | may.get(x, set()) | set(allowed.get(x, ''))
            if have & set('RW') == set('RW') and x in sim.start and x in want:
                same = sim.start[x][1:] == want[x][:2]
                if 'E' in have and not same:
                    bad.append(('WRONG', 'E', x, ''))
                if 'E' not in have and same and want[x][0] == 'f':
                    bad.append(('MISSED', 'E', x, ''))
                have.discard('E')
            for letter in sorted(need - have):
                if letter == 'S' and have or letter == 'M' and have & set('WDT'):
                    continue
                bad.append(('MISSED', letter, x, ''))
            if 'W' not in have:
                have.discard('F')       # mkdir of a folder that is there
            for letter in sorted(have - ok):
                if x not in allowed and any(f == os.path.dirname(x) and re.fullmatch(pattern, os.path.basename(x)) for f, pattern in sim.patterns) \
                        and not have - set('ATM'):
                    continue
                bad.append(('WRONG', letter, x, ''))
            bad += self.fields(sim, x, lines.get(x))
        for group in sim.any:
            if all(inside(x) for _, x in group) and not any(letter in lines.get(x, ('',))[0] for letter, x in group):
                bad.append(('MISSED', 'one of', ' '.join('%s %r' % g for g in sorted(group)), ''))
        if sim.exchanged and any('exchanged' in n for n in notes):
            return []                               # the tracer says that it does not know: nothing is claimed
        if notes and not notable:
            bad.append(('NOTE', '', '', notes[0]))
        if note and not notes:
            bad.append(('MISSED', 'N', '', 'names never used of a file that was written'))
        return bad

    def fields(self, sim, x, line):
        """The five fields of a path have to be those before the start (in a model without others that is the first use)."""
        if not line:
            return []
        if x not in sim.start:
            return [] if set(line[1]) == {'-'} else [('FIELD', '', x, 'was not there before: %s' % line[1])]
        node, s = sim.start[x][0], self.stats[x]
        if '-' in line[1]:
            return [('FIELD', '', x, 'was there before: %s' % line[1])]
        if node.dirty or node.attr:
            return []
        have = line[1][0], line[1][3], line[1][4], line[1][1]
        want = str(s.st_size), str(s.st_ino), '%o' % s.st_mode, str(s.st_mtime_ns)
        if node.kind == 'd':
            have, want = have[1:3], want[1:3]
        return [] if have == want else [('FIELD', '', x, 'is %s, expected %s' % (have, want))]

    def shrink(self, bad):
        """Leaves out operations as long as the first disagreement stays."""
        key, chunks = bad[0][:2], [[a, list(b)] for a, b in self.chunks]
        again = True
        while again:
            again = False
            for i in range(len(chunks)):
                for k in range(len(chunks[i][1]) - 1, -1, -1):
                    trial = [[a, list(b)] for a, b in chunks]
                    del trial[i][1][k]
                    try:
                        got = [b for b in self.check(trial) if b[:2] == key]
                    except (Skip, KeyError):
                        continue
                    if got:
                        chunks, bad, again = trial, got, True
        return chunks, bad

    def show(self, chunks, bad):
        def short(t):
            t = t.replace(self.top, '$TOP').replace(SEP, '|')
            return re.sub(r'(.{1,2}?)\1{19,}', lambda m: '{%s*%d}' % (m[1], len(m[0]) // len(m[1])), t)
        touched = self.simulate(chunks).touched
        out = ['  cwd %s' % short(self.cwd)]
        mentioned = {b[2] for b in bad}
        for p, n in self.fresh.tree(self.fresh.root, self.top):
            links = [x for x in n.paths() if x != p] if n.kind == 'f' else []
            if p in touched and (n.kind == 'l' or links) or p in mentioned:
                out.append('  before: %s %r %s' % (n.kind, short(p), short('-> %r' % n.data) if n.kind == 'l' else 'links %s' % [short(x) for x in links] if links else ''))
        for language, ops in chunks:
            for op in ops:
                out.append('  %-3s %s' % (language, short(COMMAND[op[0]](*op[1:]) if language == 'sh' else op[0] + ' ' + ' '.join(map(repr, op[1:])))))
        for kind, letter, p, remark in bad:
            have = getattr(self, 'lines', {}).get(p, ('-',))[0]
            out.append('  => %s %s %r (reported: %s) %s' % (kind, letter, short(p), have, short(remark)))
        return '\n'.join(out).encode('utf8', 'backslashreplace').decode()


TINY = r'''
#include <stdio.h>
#include <unistd.h>
int main(int n, char **v) { char c; (void)v; if (n > 1) while (read(0, &c, 1) > 0); puts("prog"); return 0; }
'''


def is_cautious(finding):
    # X without its own line: the file was opened for writing before, and counts as read.
    kind, letter = finding[:2]
    return kind in ('WRONG', 'NOTE') or (kind == 'MISSED' and letter in 'EX')


def compiled(work):
    out = []
    with open(work + '/tiny.c', 'w') as f:
        f.write(TINY)
    for source, name, flags in ((work + '/tiny.c', 'tiny', []), (work + '/tiny.c', 'tiny-static', ['-static', '-s']),
                                (HERE + '/operations.c', 'operations', []), (HERE + '/operations.c', 'operations-static', ['-static'])):
        subprocess.run(['gcc', '-O1', '-w', '-pthread', '-o', work + '/' + name, source] + flags, check=True)
        out.append(work + '/' + name)
    return out


def main():
    a = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    a.add_argument('--from', dest='first', type=int, default=1)
    a.add_argument('--count', type=int, default=200)
    a.add_argument('--driver', default='.build/debug/TraceDriver')
    a.add_argument('--work', default=None, help='folder for all that is made (default: a new one below the working folder)')
    a.add_argument('--keep', action='store_true', help='keep the folder, and do not go on after a disagreement')
    a.add_argument('--no-shrink', action='store_true')
    a.add_argument('--limit', type=int, default=1000, help='stop after so many disagreeing seeds')
    a.add_argument('-v', action='store_true')
    options = a.parse_args()
    options.work = os.path.abspath(options.work or 'campaign.%d' % os.getpid())
    os.makedirs(options.work, exist_ok=True)
    options.work = os.path.realpath(options.work)
    options.programs = compiled(options.work)
    options.driver = os.path.abspath(options.driver)
    good, cautious, own, failed, kinds, begin = 0, 0, [], [], {}, time.time()
    try:
        for seed in range(options.first, options.first + options.count):
            case = Case(seed, options)
            if options.v:
                print(case.show(case.chunks, []), flush=True)
            bad = case.check(case.chunks)
            for _, ops in case.chunks:
                for op in ops:
                    kinds[op[0]] = kinds.get(op[0], 0) + 1
            if not bad:
                good += 1
                continue
            if all(map(is_cautious, bad)):
                cautious += 1
                if options.v:
                    print(case.show(case.chunks, bad), flush=True)
                continue
            chunks = case.chunks
            (own if bad[0][0] == 'SELF' else failed).append(seed)
            print('seed %d: %s' % (seed, ', '.join(sorted({'%s %s' % b[:2] for b in bad}))))
            if not options.no_shrink and not options.keep:
                chunks, bad = case.shrink(bad)
                case.check(chunks)
            print(case.show(chunks, bad), flush=True)
            if options.keep or len(failed) >= options.limit:
                break
    finally:
        if not options.keep:
            shutil.rmtree(options.work, ignore_errors=True)
    print('%d seeds agree, %d are more cautious, %d disagree %s, %d wrong in the model %s; '
          '%d kinds of operations, %.0f s' % (good, cautious, len(failed), failed, len(own), own, len(kinds), time.time() - begin))
    return 1 if failed or own else 0


if __name__ == '__main__':
    sys.exit(main())
