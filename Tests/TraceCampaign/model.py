"""The independent truth of the test campaign for the file tracer: a model of a file system.

`Sim` executes operations on inodes, links and names, and keeps what the interface of the tracer asks for.
For every path it ends up with
    must  letters which the report has to have,
    may   letters which it may have besides (the interface leaves them open),
    any   groups of (letter, path) of which one at least is needed.
All else is wrong.
"""
import errno, os

E = {name: number for number, name in errno.errorcode.items()}
SEP = '\x01'        # separates the parts of a path argument: mode, folder for the descriptor, path


class Skip(Exception):
    """The operation makes no sense in this state (or its outcome is not determined): leave it out."""


class Node:
    """An inode: kind is f(ile) d(irectory) l(ink, symbolic) p(ipe) s(ocket)."""
    def __init__(self, kind, data=b'', mode=0o644):
        self.kind, self.data, self.mode = kind, data, mode      # data: content, or the text of a symlink
        self.names, self.up, self.name = {}, None, None         # of a folder
        self.where = set()                                      # (folder, name) of all links
        self.dirty = self.attr = False                          # changed in place / attributes set
        self.derived = False                                    # content still comes from before the start

    def path(self):
        return self.name if self.up is None else self.up.path() + '/' + self.name

    def paths(self):
        return sorted(d.path() + '/' + n for d, n in self.where if d.alive())

    def alive(self):
        return self.up is None or (self.up.names.get(self.name) is self and self.up.alive())


class Sim:
    def __init__(self, top):
        self.top, self.root = top, Node('d', mode=0o755)
        self.root.name = top
        self.cwd, self.held, self.out = self.root, {}, []
        self.must, self.may, self.any, self.start = {}, {}, [], {}
        self.weak, self.touched, self.wrote, self.pend, self.mkdirs, self.patterns, self.late = set(), set(), set(), [], set(), [], []
        self.quiet = self.exchanged = False

    # ---- the model itself
    def put_in(self, d, name, node):
        d.names[name] = node
        node.where.add((d, name))
        if node.kind == 'd':
            node.up, node.name = d, name

    def take_out(self, d, name):
        node = d.names.pop(name)
        node.where.discard((d, name))
        return node

    def tree(self, node, path):
        """All (path, node) at and below."""
        yield path, node
        if node.kind == 'd':
            for name in sorted(node.names):
                yield from self.tree(node.names[name], path + '/' + name)

    def begin(self):
        for p, node in self.tree(self.root, self.top):
            self.start[p] = (node, node.kind, bytes(node.data) if node.kind == 'f' else node.data)
            node.derived = True

    # ---- what is known about paths
    def touch(self, p):
        if not self.quiet:
            self.touched.add(p)

    def must_(self, letter, p):
        if not self.quiet:
            self.touch(p)
            self.must.setdefault(p, set()).add(letter)

    def may_(self, letters, p):
        if not self.quiet:
            self.touch(p)
            self.may.setdefault(p, set()).update(letters)

    def original(self, p, node):
        return p in self.start and self.start[p][0] is node

    def rd(self, p, node, sure=True):
        """The content of node was read as p."""
        self.touch(p)
        if self.original(p, node) and (node.kind != 'f' or node.derived):
            if sure and p not in self.wrote and not node.dirty:
                self.must_('R', p)
            else:
                self.may_('R', p)

    def looked(self, p, node):
        """Attributes of an existing p were looked at."""
        self.touch(p)
        if self.original(p, node) and p not in self.wrote:
            self.must_('S', p)

    def miss(self, p):
        """p was looked for and was not there."""
        self.touch(p)
        if p not in self.start:
            (self.may_ if p in self.wrote else self.must_)('A', p)

    def made(self, p, node):
        self.touch(p)
        self.wrote.add(p)

    def gone(self, p):
        self.touch(p)
        self.wrote.add(p)

    def change(self, p, node, full=False):
        """The content of node was changed in place through p."""
        self.touch(p)
        if full:
            node.derived = False
        elif self.original(p, node) and node.derived:
            self.may_('R', p)                   # part of the old content stays: the interface leaves R open
        node.dirty = True
        for q in node.paths():
            if q == p:
                self.wrote.add(q)
            else:
                self.pend.append((q, node))
                self.may_('', p)

    def perhaps(self, letters, p):
        """p may be reported, but perhaps the program did not use it at all."""
        if not self.quiet:
            self.weak.add(p)
            self.may.setdefault(p, set()).update(letters)

    def attribute(self, p, node):
        node.attr = True
        if self.original(p, node) and p not in self.wrote:
            self.must_('M', p)
        for q in node.paths():
            self.may.setdefault(q, set()).add('M')

    # ---- path resolution, as the kernel does it
    def walk(self, path, follow=True, base=None):
        """-> folder, name, node or None, errno name or None"""
        if path == '':
            return None, None, None, 'ENOENT'
        cur, links = base or self.cwd, 0
        def split(text):
            nonlocal cur
            if text.startswith('/'):
                if text != self.top and not text.startswith(self.top + '/'):
                    raise Skip
                cur, text = self.root, text[len(self.top):]
            parts = [c for c in text.split('/') if c]
            return parts + ['.'] if text.endswith('/') and parts else parts
        comps = split(path)
        while comps:
            c = comps.pop(0)
            if c == '.':
                continue
            if c == '..':
                if cur is self.root:
                    raise Skip
                cur = cur.up
                continue
            if len(os.fsencode(c)) > 255:
                return None, None, None, 'ENAMETOOLONG'
            node, p = cur.names.get(c), cur.path() + '/' + c
            if not cur.alive():
                raise Skip
            if node is None:
                if not comps:
                    return cur, c, None, 'ENOENT'
                group, q = {('A', p)}, p
                for c in comps:
                    if c in ('.', '..'):
                        break
                    q += '/' + c
                    group.add(('A', q))
                for _, q in group:
                    self.may_('A', q)
                if not any(q in self.start or q in self.wrote for _, q in group) and not self.quiet:
                    self.any.append(group)
                return None, None, None, 'ENOENT'
            if node.kind == 'l' and (follow or comps):
                links += 1
                if links > 40:
                    return None, None, None, 'ELOOP'
                self.rd(p, node)
                comps = split(node.data) + comps
                continue
            if not comps:
                self.touch(p)
                return cur, c, node, None
            if node.kind != 'd':
                if not self.quiet:
                    self.weak.add(p)            # used, but only as a folder that it is not
                q = p + '/' + comps[0]
                if comps[0] not in ('.', '..'):
                    self.may_('A', q)
                return None, None, None, 'ENOTDIR'
            self.touch(p)
            cur = node
        return cur.up, cur.name, cur, None

    def res(self, arg, follow=True):
        """Resolves a path argument: -> path, folder, name, node, errno name"""
        base = None
        if SEP in arg:
            _, folder, arg = arg.split(SEP)
            _, _, base, err = self.walk(folder)
            if err is None and base.kind != 'd':
                err = 'ENOTDIR'
            if err:
                if err == 'ENOENT':
                    raise Skip
                return None, None, None, None, err
            self.may_('S', base.path())
        d, n, node, err = self.walk(arg, follow, base)
        p = d.path() + '/' + n if d and n else None
        if node is not None and node.up is None and node.kind == 'd':
            raise Skip
        return p, d, n, node, err

    def exists(self, arg, follow=True, kinds='fdlps'):
        """As res, for operations which need an existing thing: -> path, folder, name, node; or an errno name"""
        p, d, n, node, err = self.res(arg, follow)
        if err == 'ENOENT' and p:
            self.miss(p)
        if err:
            return err
        return p, d, n, node

    # ---- operations; each returns None (fine), an errno name, or text that the program prints
    def summary(self, data):
        return '%d %d' % (len(data), sum(data) % 65521)

    def regular(self, node):
        if node.kind in 'ps':
            raise Skip
        return node.kind == 'f'

    def op_read(self, arg, how):
        r = self.exists(arg, how != 'nofollow')
        if isinstance(r, str):
            return r
        p, d, n, node = r
        if node.kind == 'l':
            self.may_('RS', p)
            return 'ELOOP'
        if not self.regular(node):
            return 'EISDIR'
        self.rd(p, node)
        return self.summary(node.data)

    def create(self, arg, follow=True, mode=0o644, kind='f', data=b''):
        """The common part of everything which makes a new name: -> (path, node, isnew) or errno name"""
        p, d, n, node, err = self.res(arg, follow)
        if err == 'ENOENT' and p:
            self.may_('A', p)
            node = Node(kind, data, mode)
            self.put_in(d, n, node)
            self.made(p, node)
            return p, node, True
        return err or (p, node, False)

    def op_put(self, arg, data, how='write'):
        data = os.fsencode(data)
        r = self.create(arg)
        if isinstance(r, str):
            return r
        p, node, new = r
        if not self.regular(node):
            return 'EISDIR'
        if not new:
            if node.data or data:
                self.change(p, node, True)
            else:
                self.may_('W', p)
        node.data = data

    def op_app(self, arg, data):
        data = os.fsencode(data)
        r = self.create(arg)
        if isinstance(r, str):
            return r
        p, node, new = r
        if not self.regular(node):
            return 'EISDIR'
        if not new:
            self.may_('R', p)
        if not new and data:
            self.change(p, node)
        node.data += data

    def op_excl(self, arg, data):
        p, d, n, node, err = self.res(arg, False)
        if node is not None:
            self.looked(p, node) if node.kind != 'l' else self.may_('RS', p)
            return 'EEXIST'
        return self.op_put(arg, data)

    def op_creat(self, arg):
        return self.op_app(arg, '')

    def op_wopen(self, arg, how):
        r = self.exists(arg)
        if isinstance(r, str):
            return r
        if not self.regular(r[3]):
            return 'EISDIR'
        self.may_('R', r[0])            # opened for writing and left alone counts as read

    def op_upd(self, arg, offset, data, how):
        """r+: read one byte, then write at an offset"""
        r = self.exists(arg)
        if isinstance(r, str):
            return r
        p, d, n, node = r
        if not self.regular(node):
            return 'EISDIR'
        data, offset = os.fsencode(data), int(offset)
        if how == 'mmap' and (offset + len(data) > len(node.data) or not data):
            raise Skip
        self.rd(p, node, how == 'pwrite')
        if data:
            self.change(p, node)
            old = node.data.ljust(offset, b'\0')
            node.data = old[:offset] + data + old[offset + len(data):]

    def op_trunc(self, arg, size, how):
        r = self.exists(arg)
        if isinstance(r, str):
            return r
        p, d, n, node = r
        if not self.regular(node):
            return 'EISDIR'
        self.may_('R', p)
        size = int(size)
        if size == len(node.data):
            self.may_('W', p)
        else:
            self.change(p, node, size == 0)
            node.data = node.data[:size].ljust(size, b'\0')

    def op_falloc(self, arg, size):
        r = self.exists(arg)
        if isinstance(r, str):
            return r
        p, d, n, node = r
        if not self.regular(node):
            return 'EISDIR'
        if int(size) > len(node.data):
            self.change(p, node)
            node.data = node.data.ljust(int(size), b'\0')
        else:
            self.may_('WR', p)

    def op_copy(self, arg, arg2, how):
        r = self.exists(arg)
        if isinstance(r, str):
            return r
        if not self.regular(r[3]):
            raise Skip
        t = self.res(arg2)
        if t[3] is r[3]:
            raise Skip
        before = len(self.wrote)
        err = self.op_put(arg2, os.fsdecode(r[3].data))
        if err:
            self.may_('R', r[0])
        else:
            self.rd(r[0], r[3])
        return err

    def op_reopen(self, arg, data):
        """O_PATH, then /proc/self/fd/N for writing"""
        r = self.exists(arg)
        if isinstance(r, str):
            return r
        if r[3].kind != 'f':
            raise Skip
        return self.op_put(arg, data)

    def op_hold(self, reg, arg, flags):
        if reg in self.held:
            raise Skip
        r = self.exists(arg)
        if isinstance(r, str):
            return r
        p, d, n, node = r
        if node.kind != 'f':
            raise Skip
        if flags not in 'wa':
            self.may_('R', p)       # opened for reading: counts as read at the latest when it is
        self.held[reg] = [p, node, flags, 0, self.original(p, node) and p not in self.wrote and not node.dirty]

    def op_hread(self, reg):
        if reg not in self.held or self.held[reg][2] in 'wa':
            raise Skip
        p, node, flags, pos, fresh = h = self.held[reg]
        if fresh and not node.dirty:
            self.must_('R', p)
        data = node.data[pos:]
        h[3] = max(pos, len(node.data))
        return self.summary(data)

    def op_hwrite(self, reg, data):
        if reg not in self.held or self.held[reg][2] == 'r':
            raise Skip
        p, node, flags, pos, fresh = h = self.held[reg]
        data = os.fsencode(data)
        if not data:
            return
        if flags == 'a':
            pos = len(node.data)
        if node.paths():
            self.change(p, node)
        old = node.data.ljust(pos, b'\0')
        node.data = old[:pos] + data + old[pos + len(data):]
        h[3] = pos + len(data)

    def op_hlink(self, reg, arg):
        """linkat of /proc/self/fd/N"""
        if reg not in self.held or not self.held[reg][1].where:
            raise Skip
        p, node, flags, pos, fresh = self.held[reg]
        q, d, n, there, err = self.res(arg, False)
        if there is not None:
            self.may_('S', q)
            return 'EEXIST'
        if err == 'ENOENT' and q:
            self.may_('A', q)
            for x in node.paths():
                if x == p:
                    self.rd(p, node)
            self.put_in(d, n, node)
            self.made(q, node)
            return
        return err

    def op_tmpfile(self, arg, arg2, data, how):
        r = self.exists(arg)
        if isinstance(r, str):
            return r
        if r[3].kind != 'd':
            return 'ENOTDIR'
        if arg2:
            p, d, n, node, err = self.res(arg2, False)
            if node is not None:
                self.may_('S', p)
                return 'EEXIST'
            r = self.create(arg2, False, data=os.fsencode(data))
            if isinstance(r, str):
                return r

    def op_unlink(self, arg):
        r = self.exists(arg, False)
        if isinstance(r, str):
            return r
        p, d, n, node = r
        if node.kind == 'd':
            return 'EISDIR'
        self.gone(p)
        self.take_out(d, n)

    def op_rmdir(self, arg):
        r = self.exists(arg, False)
        if isinstance(r, str):
            return r
        p, d, n, node = r
        if node.kind != 'd':
            return 'ENOTDIR'
        if arg.endswith('.') or self.busy(node):
            raise Skip
        if node.names:
            self.may_('LS', p)
            return 'ENOTEMPTY'
        self.gone(p)
        self.take_out(d, n)

    def busy(self, node):
        """Is the working folder at or below? (Then nothing shall remove it: what follows would be obscure.)"""
        c = self.cwd
        while c is not None:
            if c is node:
                return True
            c = c.up
        return False

    def op_mkdir(self, arg):
        p, d, n, node, err = self.res(arg, False)
        if node is not None:
            self.looked(p, node) if node.kind == 'd' else self.may_('RS', p)
            return 'EEXIST'
        r = self.create(arg, False, 0o755, 'd')
        if isinstance(r, str):
            return r
        self.mkdirs.add(r[0])

    def move(self, d, n, d2, n2):
        """A successful rename of what is at d/n to d2/n2"""
        node = d.names[n]
        old, new = d.path() + '/' + n, d2.path() + '/' + n2
        for q, x in list(self.tree(node, old)):
            if x.kind == 'd':
                self.may_('RLS', q)
            else:
                self.rd(q, x, x.kind in 'fl')
            self.gone(q)
        if n2 in d2.names:
            self.gone(new)
            self.take_out(d2, n2)
        self.take_out(d, n)
        self.put_in(d2, n2, node)
        for q, x in self.tree(node, new):
            self.made(q, x)
            if x.kind == 'd':
                self.may_('LFA', q)
            else:
                self.may_('A', q)

    def op_rename(self, arg, arg2, flags='0'):
        p, d, n, node, err = self.res(arg, False)
        if err and not p:
            return err
        p2, d2, n2, there, err2 = self.res(arg2, False)
        if err2 and not p2:
            if node is not None:
                self.may_('S', p)
            return err2
        if node is None:
            self.miss(p)
            return 'ENOENT'
        if there is not None and flags == '1':
            self.may_('S', p2)
            return 'EEXIST'
        if there is None and flags == '2':
            self.miss(p2)
            return 'ENOENT'
        if self.busy(node) or (there is not None and self.busy(there)):
            raise Skip
        x = d2
        while x is not None:
            if x is node:
                return 'EINVAL'
            x = x.up
        x = d
        while x is not None:
            if x is there:
                return 'EINVAL' if flags == '2' else 'ENOTEMPTY'
            x = x.up
        if node is there:
            self.may_('R', p)
            self.may_('R', p2)
            return
        if flags == '2':
            self.exchanged = self.exchanged or 'd' in node.kind + there.kind
            for q, x in list(self.tree(node, p)) + list(self.tree(there, p2)):
                self.may_('RLS', q) if x.kind == 'd' else self.rd(q, x, x.kind in 'fl')
                self.gone(q)
            self.take_out(d, n), self.take_out(d2, n2)
            self.put_in(d2, n2, node), self.put_in(d, n, there)
            for q, x in list(self.tree(node, p2)) + list(self.tree(there, p)):
                self.made(q, x)
                self.may_('LF' if x.kind == 'd' else '', q)
                if q not in self.start:
                    self.may_('A', q)
            return
        if there is not None:
            if node.kind != 'd' and there.kind == 'd':
                return 'EISDIR'
            if node.kind == 'd' and there.kind != 'd':
                return 'ENOTDIR'
            if there.kind == 'd' and there.names:
                self.may_('LS', p2)
                return 'ENOTEMPTY'
        self.move(d, n, d2, n2)

    def op_link(self, arg, arg2, flags='0'):
        r = self.exists(arg, flags != '0')
        if isinstance(r, str):
            return r
        p, d, n, node = r
        p2, d2, n2, there, err = self.res(arg2, False)
        if there is not None:
            self.may_('S', p2)
            return 'EEXIST'
        if err and not p2:
            return err
        if node.kind == 'd':
            self.may_('A', p2)
            return 'EPERM'
        self.rd(p, node, node.kind in 'fl')
        self.may_('A', p2)
        self.put_in(d2, n2, node)
        self.made(p2, node)

    def op_symlink(self, text, arg):
        p, d, n, node, err = self.res(arg, False)
        if node is not None:
            self.may_('S', p)
            return 'EEXIST'
        r = self.create(arg, False, 0o777, 'l', text)
        return r if isinstance(r, str) else None

    def op_readlink(self, arg):
        r = self.exists(arg, False)
        if isinstance(r, str):
            return r
        p, d, n, node = r
        if node.kind != 'l':
            self.may_('S', p)
            return 'EINVAL'
        self.rd(p, node)
        return self.summary(os.fsencode(node.data))

    def op_stat(self, arg, how):
        r = self.exists(arg, how != 'lstat')
        if isinstance(r, str):
            return r
        self.looked(r[0], r[3])
        if how == 'statx' and r[3].kind == 'f':
            return str(len(r[3].data))

    def op_chdir(self, arg):
        r = self.exists(arg)
        if isinstance(r, str):
            return r
        if r[3].kind != 'd':
            return 'ENOTDIR'
        self.looked(r[0], r[3])
        self.cwd = r[3]

    def op_list(self, arg, how):
        r = self.exists(arg)
        if isinstance(r, str):
            return r
        p, d, n, node = r
        if node.kind != 'd':
            return 'ENOTDIR'
        if how == 'open':
            self.may_('S', p)
            return
        self.listed(p, node)
        return str(len(node.names))

    def listed(self, p, node, sure=True):
        if self.original(p, node) and p not in self.wrote and sure:
            self.must_('L', p)
        else:
            self.may_('L', p)

    def op_chmod(self, arg, mode, how):
        r = self.exists(arg)
        if isinstance(r, str):
            return r
        r[3].mode = int(mode, 8)
        self.attribute(r[0], r[3])

    def op_utimes(self, arg):
        return self.op_attr(arg)

    def op_attr(self, arg, follow=True):
        r = self.exists(arg, follow)
        if isinstance(r, str):
            return r
        if r[3].kind in 'ps':
            raise Skip
        self.attribute(r[0], r[3])

    def op_setx(self, arg):
        return self.op_attr(arg)

    def op_chown(self, arg):
        return self.op_attr(arg, False)

    def op_mkfifo(self, arg):
        p, d, n, node, err = self.res(arg, False)
        if node is not None:
            self.may_('S', p)
            return 'EEXIST'
        r = self.create(arg, False, kind='p')
        return r if isinstance(r, str) else None

    def op_fifo(self, arg):
        """makes a pipe, talks through it in two processes"""
        return self.op_mkfifo(arg)

    def op_sock(self, arg):
        if SEP in arg or len(os.fsencode(arg)) > 100:
            raise Skip
        p, d, n, node, err = self.res(arg, False)
        if node is not None:
            self.may_('S', p)
            return 'EADDRINUSE'
        r = self.create(arg, False, kind='s')
        return r if isinstance(r, str) else None

    def op_mknod(self, arg):
        p, d, n, node, err = self.res(arg, False)
        if node is not None:
            self.may_('S', p)
            return 'EEXIST'
        r = self.create(arg, False)
        return r if isinstance(r, str) else None

    def op_exec(self, arg, how, shell=False):
        r = self.exists(arg)
        if isinstance(r, str):
            return r
        p, d, n, node = r
        if node.kind != 'f' or not node.mode & 0o111:
            self.may_('RS' if how == 'fexecve' else 'S', p)
            return 'EACCES'
        depth = 0
        while True:
            self.rd(p, node)
            if node.data.startswith(b'\x7fELF'):
                self.must_('X', p)
                return '0'
            if not node.data.startswith(b'#!'):
                raise Skip
            line = os.fsdecode(node.data.split(b'\n')[0][2:])
            if line.startswith('/bin/'):
                self.must_('X', p)
                return '0'
            r = self.exists(line)
            if isinstance(r, str):
                self.may_('RS', p)
                self.must[p] = self.must.get(p, set()) - {'R'}
                return r
            if r[3].kind != 'f' or not r[3].mode & 0o111:
                raise Skip
            self.must_('X', p)
            p, d, n, node = r
            depth += 1
            if depth > 3:
                raise Skip

    def op_busy(self, arg):
        """writing to a program which runs"""
        r = self.exists(arg)
        if isinstance(r, str) or not r[3].data.startswith(b'\x7fELF'):
            raise Skip
        err = self.op_exec(arg, 'fork')
        return 'ETXTBSY' if err == '0' else err

    def op_parread(self, how, *args):
        return ' '.join(self.text(self.op_read(a, 'open')) for a in args)

    def op_parput(self, how, data, *args):
        nodes = [self.res(a)[3] for a in args]
        paths = [self.res(a)[0] for a in args]
        if len(set(paths)) < len(paths) or len(set(map(id, filter(None, nodes)))) < len(list(filter(None, nodes))):
            raise Skip
        return ' '.join(self.text(self.op_put(a, data)) for a in args)

    def op_parapp(self, how, count, data, arg):
        self.op_app(arg, '')
        return ' '.join(self.text(self.op_app(arg, data)) for i in range(int(count)))

    def op_daemon(self, arg, data, now):
        if now == '1':
            return self.op_put(arg, data)
        p, d, n, node, err = self.res(arg)
        if node is not None or not p or not d.alive() or not p.startswith(self.top + '/p/'):
            raise Skip
        self.may_('A', p)
        self.late.append((d, n, os.fsencode(data), p))

    def op_storm(self, arg, count):
        return self.op_read(arg, 'open')

    def op_bad(self, how):
        return {'fault': 'EFAULT', 'badfd': 'EBADF', 'dirfd': 'EBADF', 'long': 'ENAMETOOLONG', 'empty': 'ENOENT'}[how]

    def text(self, result):
        return 'ok' if result is None else str(E[result]) if result in E else result

    def run(self, op):
        """One operation of the C or Python program: it prints a line with its result."""
        self.out.append(op[0] + ' ' + self.text(getattr(self, 'op_' + op[0])(*op[1:])))
