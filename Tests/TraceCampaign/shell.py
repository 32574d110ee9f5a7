"""Shell commands of the test campaign: for each what is written into the script, and what it does to the model."""
import os, shlex
from model import Sim, Skip, Node


def q(text):
    return shlex.quote(text)


def printf(data):
    """A command which prints data (the shell's own printf, without a process)"""
    return "printf '%s' " + q(data)


class Shell(Sim):
    def shell(self, op):
        getattr(self, 'sh_' + op[0])(*op[1:])

    def file(self, arg, follow=True, kinds='f'):
        """An existing thing of one of the kinds, else Skip"""
        r = self.res(arg, follow)
        if r[3] is None or r[3].kind not in kinds:
            raise Skip
        return r[0], r[1], r[2], r[3]

    def free(self, arg):
        r = self.res(arg, False)
        if r[3] is not None or not r[0]:
            raise Skip
        return r[0], r[1], r[2]

    def silent(self, arg):
        """What arg leads to, without leaving traces in the truth"""
        self.quiet = True
        try:
            return self.res(arg)[3]
        finally:
            self.quiet = False

    def plain(self, node, p, kinds='fdl'):
        for x, n in self.tree(node, p):
            if n.kind not in kinds:
                raise Skip
        return list(self.tree(node, p))

    # -- reading
    def sh_cat(self, *args):
        for a in args:
            self.op_read(a, 'open')
    sh_wc = sh_head = sh_catin = sh_subshell = sh_nice = sh_sum = sh_cat

    def sh_cmp(self, a, b):
        r, s = self.file(a), self.file(b)
        if r[3] is s[3] or not r[3].data or not s[3].data:
            raise Skip
        self.rd(r[0], r[3]), self.rd(s[0], s[3])

    def sh_grep(self, a):
        p, d, n, node = self.file(a, True, 'd')
        for x, m in self.plain(node, p):
            if m.kind == 'd':
                self.listed(x, m)
            elif m.kind == 'f':
                self.rd(x, m)
            else:
                self.perhaps('RS', x)       # opens it with O_NOFOLLOW

    def sh_ls(self, a):
        r = self.exists(a)
        if isinstance(r, str):
            return
        p, d, n, node = r
        if node.kind == 'd':
            self.listed(p, node)
        self.may_('S', p)

    def sh_lsl(self, a):
        p, d, n, node = self.file(a, True, 'd')
        self.listed(p, node)
        for name, m in list(node.names.items()):
            x = p + '/' + name
            if m.kind == 'l':
                self.rd(x, m)
                self.aside(m, node)
            if not name.startswith('.'):
                self.looked(x, m)

    def aside(self, link, folder):
        """Some programs look at the target of a symlink as well: all that touches is allowed."""
        trial = self.must, self.any
        self.must, self.any = {}, []
        try:
            t = self.walk(link.data, True, folder)
            if t[0] and t[1]:
                self.may_('SAR', t[0].path() + '/' + t[1])
        except Skip:
            pass
        extra, (self.must, self.any) = self.must, trial
        for x, letters in extra.items():
            self.may_(letters, x)

    def sh_find(self, a):
        p, d, n, node = self.file(a, True, 'd')
        for x, m in self.tree(node, p):
            if m.kind == 'd':
                self.listed(x, m)
            else:
                self.perhaps('S', x)

    def sh_du(self, a):
        self.sh_find(a)
        p, d, n, node = self.file(a, True, 'd')
        for x, m in self.tree(node, p):
            self.looked(x, m)

    def sh_glob(self, a):
        p, d, n, node = self.file(a, True, 'd')
        self.listed(p, node)
        for name in node.names:
            self.perhaps('S', p + '/' + name)

    def sh_test(self, how, a):
        r = self.exists(a, how != 'L')
        if not isinstance(r, str):
            self.looked(r[0], r[3])

    def sh_statf(self, a):
        r = self.exists(a, False)
        if not isinstance(r, str):
            self.looked(r[0], r[3])

    def sh_readlink(self, a):
        self.op_readlink(a)

    def sh_realpath(self, a):
        r = self.exists(a)
        if not isinstance(r, str):
            self.may_('S', r[0])

    def sh_cd(self, a):
        self.op_chdir(a)

    # -- writing
    def sh_echo(self, data, a):
        self.op_put(a, data)
    sh_group = sh_echo

    def sh_append(self, data, a):
        self.op_app(a, data)

    def sh_tee(self, data, *args):
        for a in args:
            self.op_put(a, data)

    def sh_teea(self, data, a):
        self.op_app(a, data)

    def sh_nothing(self, a):
        self.op_app(a, '')

    def sh_rdwr(self, a):
        if self.op_app(a, '') is None:
            self.may_('R', self.res(a)[0])

    def sh_dd(self, data, a):
        if not data:
            raise Skip
        p, d, n, node = self.file(a)
        self.change(p, node)
        node.data = os.fsencode(data) + node.data[len(os.fsencode(data)):]

    def sh_truncate(self, size, a):
        if self.op_app(a, '') is None:
            self.op_trunc(a, size, '')

    def sh_sort(self, a):
        p, d, n, node = self.file(a)
        self.rd(p, node)
        lines = node.data.split(b'\n')
        if lines[-1] == b'':
            lines.pop()
        new = b''.join(line + b'\n' for line in sorted(lines))
        if node.data or new:
            self.change(p, node, True)
        else:
            self.may_('W', p)
        node.data = new

    def sh_sed(self, a):
        p, d, n, node = self.file(a)
        if self.res(a, False)[3] is not node:
            raise Skip
        self.rd(p, node)
        self.patterns.append((d.path(), r'sed[A-Za-z0-9]{6}'))
        ends = node.data.endswith(b'\n')
        lines = node.data.split(b'\n')[:-1 if ends else None] if node.data else []
        new = Node('f', b'\n'.join(b'Q' + line for line in lines) + (b'\n' if ends else b''), node.mode)
        self.gone(p)
        self.may_('M', p)
        self.take_out(d, n)
        self.put_in(d, n, new)
        self.made(p, new)

    def sh_cp(self, a, b):
        r, t = self.file(a), self.res(b)
        if t[3] is r[3] or (t[3] and t[3].kind != 'f') or not t[0] or (t[3] is None and self.res(b, False)[3]):
            raise Skip
        self.rd(r[0], r[3])
        self.op_put(b, os.fsdecode(r[3].data))
        if t[3] is None:
            self.res(b)[3].mode = r[3].mode
        self.may_('M', t[0])

    def sh_cpp(self, a, b):
        self.sh_cp(a, b)
        p, d, n, node = self.res(b)[:4]
        node.mode = self.res(a)[3].mode
        self.attribute(p, node)

    def sh_install(self, a, b):
        r, t = self.file(a), self.res(b, False)
        if t[3] is r[3] or (t[3] and t[3].kind != 'f') or not t[0]:
            raise Skip
        self.rd(r[0], r[3])
        if t[3]:
            self.gone(t[0])
            self.take_out(t[1], t[2])
        p, node, _ = self.create(b, False, 0o755, 'f', r[3].data)
        self.may_('M', p)

    def copytree(self, a, b, links):
        p, d, n, node = self.file(a, False, 'd')
        e, f, m = self.free(b)
        x = f
        while x:
            if x is node:
                raise Skip
            x = x.up
        seen, groups = {}, {}
        every = self.plain(node, p)
        for x, z in every:
            new = e + x[len(p):]
            if z.kind == 'd':
                self.listed(x, z)
                copy_ = Node('d', mode=z.mode)
            elif z.kind == 'l':
                self.rd(x, z)
                copy_ = Node('l', z.data)
            else:
                count = sum(1 for _, y in every if y is z)
                self.rd(x, z, (count == 1 or not links) and bool(z.data))
                if self.original(x, z) and x not in self.wrote and not z.dirty and z.data and count > 1 and links:
                    groups.setdefault(z, set()).add(('R', x))
                copy_ = Node('f', z.data, z.mode)
                if links:
                    copy_ = seen.setdefault(z, copy_)
            parent = seen[new.rsplit('/', 1)[0]] if x != p else f
            self.put_in(parent, new.rsplit('/', 1)[1], copy_)
            seen[new] = copy_
            self.made(new, copy_)
            self.may_('AMLFS', new)
            if z.kind == 'd':
                self.mkdirs.add(new)
        self.any += groups.values()

    def sh_cpr(self, a, b):
        self.copytree(a, b, False)

    def sh_cpa(self, a, b):
        self.copytree(a, b, True)

    def sh_tar(self, a, b):
        self.copytree(a, b, True)

    def sh_mv(self, a, b):
        r, t = self.file(a, False, 'fldps'), self.res(b, False)
        if t[3] is r[3] or not t[0] or (t[3] and t[3].kind == 'd') or (r[3].kind == 'd' and t[3]):
            raise Skip
        s = self.silent(b)
        if s and s.kind == 'd':
            raise Skip
        if self.op_rename(a, b):
            raise Skip

    def sh_ln(self, a, b):
        self.free(b)
        self.file(a, False, 'f')
        self.op_link(a, b)

    def sh_lns(self, text, b):
        self.free(b)
        self.op_symlink(text, b)

    def sh_lnsf(self, text, b):
        p, d, n, node = self.file(b, False, 'fl')
        if text == b or (self.silent(b) and self.silent(b).kind == 'd'):
            raise Skip
        self.patterns.append((d.path(), r'Cu[A-Za-z0-9]{6}'))
        self.aside(Node('l', text), self.cwd)       # ln may compare what is there
        self.gone(p)
        self.take_out(d, n)
        self.create(b, False, kind='l', data=text)

    def sh_rm(self, a):
        self.op_unlink(a)
    sh_rmf = sh_rm

    def sh_rmrf(self, a):
        p, d, n, node = self.file(a, False, 'd')
        if self.busy(node):
            raise Skip
        for x, m in list(self.tree(node, p)):
            if m.kind == 'd':
                self.listed(x, m, bool(m.names))
        for x, m in reversed(list(self.tree(node, p))):
            self.gone(x)
            e = node
            for part in x[len(p):].split('/')[1:-1]:
                e = e.names[part]
            self.take_out(e if x != p else d, x.rsplit('/', 1)[1])

    def sh_mkdir(self, a):
        self.op_mkdir(a)

    def sh_mkdirp(self, a):
        """a is relative to a folder which is there"""
        parts = a.split('/')
        for i in range(1, len(parts) + 1):
            b = '/'.join(parts[:i])
            if b and parts[i - 1] not in ('.', '..', ''):
                r = self.res(b)
                if r[3] is None or r[3].kind != 'd':
                    if self.op_mkdir(b):
                        raise Skip
                    self.may_('M', self.res(b)[0])

    def sh_rmdir(self, a):
        self.op_rmdir(a)

    def sh_touch(self, a):
        r = self.create(a)
        if isinstance(r, str):
            raise Skip
        if r[1].kind in 'ps':
            raise Skip
        self.attribute(r[0], r[1])

    def sh_chmod(self, mode, a):
        r = self.file(a, True, 'fd')
        if mode.startswith('0'):
            r[3].mode = int(mode, 8)
        self.attribute(r[0], r[3])

    def sh_script(self, a):
        self.op_exec(a, 'fork')
        r = self.res(a)
        if r[3] is None or not r[3].mode & 0o111:
            return

    def sh_source(self, a):
        p, d, n, node = self.file(a)
        if not node.data.startswith(b'#!/bin/'):
            raise Skip
        self.rd(p, node)
    sh_shfile = sh_source

    def sh_mktemp(self, a):
        p, d, n, node = self.file(a, True, 'd')
        self.patterns.append((p, r'tmp\.[A-Za-z0-9]{10}'))

    def sh_pipe(self, a, b):
        r, t = self.file(a), self.res(b)
        if t[3] is r[3] or (t[3] and t[3].kind != 'f') or not t[0]:
            raise Skip
        self.rd(r[0], r[3])
        self.op_put(b, os.fsdecode(r[3].data))

    def sh_background(self, data, *args):
        self.op_parput('', data, *args)


COMMAND = {
    'cat': lambda *a: 'cat ' + ' '.join(map(q, a)),
    'wc': lambda a: 'wc -c %s' % q(a), 'head': lambda a: 'head -c 9000 %s' % q(a), 'catin': lambda a: 'cat < %s' % q(a),
    'subshell': lambda a: 'x=$(cat %s); echo ${#x}' % q(a), 'nice': lambda a: 'env -u X nice -n 1 cat %s' % q(a),
    'sum': lambda a: 'cksum < %s | tr -d x' % q(a), 'cmp': lambda a, b: 'cmp %s %s' % (q(a), q(b)),
    'grep': lambda a: 'grep -rc Q %s | sort' % q(a), 'ls': lambda a: 'ls %s' % q(a),
    'lsl': lambda a: 'ls -lA %s | wc -l' % q(a + '/'), 'find': lambda a: 'find %s -type f | sort' % q(a + '/'),
    'du': lambda a: 'du -a --apparent-size %s | wc -l' % q(a + '/'),
    'glob': lambda a: 'for i in %s/*; do printf "%%s\\n" "$i"; done' % q(a),
    'test': lambda how, a: 'test -%s %s; echo $?' % (how, q(a)), 'statf': lambda a: 'stat -c %%s:%%a:%%F %s | grep -v dir' % q(a),
    'readlink': lambda a: 'readlink %s' % q(a), 'realpath': lambda a: 'realpath -e %s' % q(a), 'cd': lambda a: 'cd %s' % q(a),
    'echo': lambda d, a: '%s > %s' % (printf(d), q(a)), 'group': lambda d, a: '{ %s; } | cat > %s' % (printf(d), q(a)),
    'append': lambda d, a: '%s >> %s' % (printf(d), q(a)),
    'tee': lambda d, *a: '%s | tee %s' % (printf(d), ' '.join(map(q, a))),
    'teea': lambda d, a: '%s | tee -a %s' % (printf(d), q(a)), 'nothing': lambda a: 'true >> %s' % q(a),
    'rdwr': lambda a: 'true 3<> %s' % q(a),
    'dd': lambda d, a: '%s | dd status=none conv=notrunc of=%s' % (printf(d), q(a)),
    'truncate': lambda n, a: 'truncate -s %s %s' % (n, q(a)), 'sort': lambda a: 'LC_ALL=C sort -o %s %s' % (q(a), q(a)),
    'sed': lambda a: "LC_ALL=C sed -i 's/^/Q/' %s" % q(a), 'cp': lambda a, b: 'cp -T %s %s' % (q(a), q(b)),
    'cpp': lambda a, b: 'cp -pT %s %s' % (q(a), q(b)), 'install': lambda a, b: 'install -T -m 755 %s %s' % (q(a), q(b)),
    'cpr': lambda a, b: 'cp -rT %s %s' % (q(a), q(b)), 'cpa': lambda a, b: 'cp -aT %s %s' % (q(a), q(b)),
    'tar': lambda a, b: 'mkdir %s && tar cf - -C %s . | tar xf - -C %s' % (q(b), q(a), q(b)),
    'mv': lambda a, b: 'mv -T %s %s' % (q(a), q(b)), 'ln': lambda a, b: 'ln -T %s %s' % (q(a), q(b)),
    'lns': lambda a, b: 'ln -sT -- %s %s' % (q(a), q(b)), 'lnsf': lambda a, b: 'ln -sfT -- %s %s' % (q(a), q(b)),
    'rm': lambda a: 'rm %s' % q(a), 'rmf': lambda a: 'rm -f %s' % q(a), 'rmrf': lambda a: 'rm -rf %s' % q(a),
    'mkdir': lambda a: 'mkdir %s' % q(a), 'mkdirp': lambda a: 'mkdir -p %s' % q(a), 'rmdir': lambda a: 'rmdir %s' % q(a),
    'touch': lambda a: 'touch %s' % q(a), 'chmod': lambda m, a: 'chmod %s %s' % (m, q(a)),
    'script': lambda a: '%s' % q(a), 'source': lambda a: '. %s' % q(a), 'shfile': lambda a: 'sh %s' % q(a),
    'mktemp': lambda a: 't=$(mktemp -p %s) && rm "$t"' % q(a), 'pipe': lambda a, b: 'cat %s | tee %s | wc -c' % (q(a), q(b)),
    'background': lambda d, *a: ' '.join('%s > %s &' % (printf(d), q(x)) for x in a) + ' wait',
}
