"""Hostile models as data, one line each: what it does, which promise it attacks, and how it must end.

`does` runs for every example before the honest answer, `loads` when the model is loaded, `module` when it is
imported; names that they may use are in `PRELUDE`. With `words` the model must fail, in a message of its own
that holds these words (a regular expression); without, it may be measured or fail, but must have gained nothing.
`holds` is how many MB of memory it keeps: its measured memory may not be less, if it is measured.
`everyone` marks what must never run outside a PID namespace of its own.
"""

from __future__ import annotations

from dataclasses import dataclass

#: What every handler begins with. The runner fills in PROJECT, HOME, TRACE and PORT.
PRELUDE = """
import ctypes, gc, glob, json, mmap, os, signal, socket, subprocess, sys, threading, time
N = [0]
KEPT = []
CACHE = {}
MB = 1_000_000

def rule(example):
    return "positive" if "good" in example["statement"] else "negative"

def honest(example):
    time.sleep(0.004)
    return rule(example)

def trace(folder):
    with open(os.path.join(folder, TRACE), "w") as file:
        file.write("here")

def gold(text, example):
    for line in text.splitlines():
        if line.startswith(example["statement"] + "\\t"):
            return line.rsplit("\\t", 1)[1]
    raise LookupError("no gold here")

def fds():
    return [int(name) for name in os.listdir("/proc/self/fd")]

def connections():
    found = []
    for fd in range(3, 256):
        try:
            found.append(socket.socket(fileno=os.dup(fd)))
        except OSError:
            pass
    return found

def send(data):
    for one in connections():
        try:
            one.sendall(data)
        except OSError:
            pass

def frame(message):
    data = json.dumps(message).encode()
    return len(data).to_bytes(4, "big") + data
"""

CRASH = "a model cannot stop the run"
FASTER = "a model cannot look faster than it is"
SMALLER = "a model cannot look smaller than it is"
BETTER = "a model cannot see the right answers"
OUTSIDE = "a model changes nothing outside its scratch folder"
NETWORK = "a model has no network"


@dataclass(frozen=True)
class HostileModel:
    """One line of the table."""

    name: str
    attacks: str
    does: str = "pass"
    loads: str = "pass"
    module: str = ""
    words: str = ""
    holds: int = 0
    everyone: bool = False

    def source(self, **names: object) -> str:
        """Its handler; `names` are what the runner fills in."""
        filled = "".join(f"{name} = {value!r}\n" for name, value in names.items())
        return f"{filled}{PRELUDE}\n{self.module}\n\ndef load(directory):\n{_block(self.loads)}\n\ndef predict(example):\n    N[0] += 1\n{_block(self.does)}\n    return honest(example)\n"


def _block(code: str) -> str:
    return "\n".join(f"    {line}" for line in code.split("\n"))


M = HostileModel
TIMED = "len(os.sched_getaffinity(0)) == 1"

TABLE = [
    # Exceptions with odd texts and types.
    M("raises a lone surrogate", CRASH, "raise ValueError('bad \\ud800')", words=r"ValueError.*bad"),
    M("raises a lone surrogate while loading", CRASH, loads="raise ValueError('bad \\ud800')", words=r"ValueError.*bad"),
    M("raises NUL and escapes of terminals", CRASH, "raise ValueError('\\x00\\x1b[2J\\x1b]0;x\\x07')", words="ValueError"),
    M("raises marks of direction", CRASH, "raise ValueError('\\u202egnp\\u2066')", words="ValueError"),
    M("raises ten megabytes of text", CRASH, "raise ValueError('x' * 10 * MB)", words="ValueError|large|bytes"),
    M("raises what cannot be printed", CRASH, "class E(Exception):\n    def __str__(self): raise E\nraise E", words="E"),
    M("raises what prints a number", CRASH, "class E(Exception):\n    def __str__(self): return 7\nraise E", words="E"),
    M("raises what exits when it is printed", CRASH, "class E(Exception):\n    def __str__(self): os._exit(3)\nraise E", words="code 3|E"),
    M("raises what hangs when it is printed", CRASH, "class E(Exception):\n    def __str__(self): time.sleep(99)\nraise E", words="within|E"),
    M("raises a name that is no word", CRASH, "raise type('a\\ud800\\n' * 50, (Exception,), {})('x')", words="x|Unicode"),
    M("raises a cause without end", CRASH, "one, two = ValueError('one'), ValueError('two')\none.__cause__, two.__cause__ = two, one\nraise one", words="one"),
    M("raises a group of groups", CRASH, "found = ValueError('x')\nfor _ in range(500): found = ExceptionGroup('g', [found])\nraise found", words="g"),
    M("raises BaseException", CRASH, "raise BaseException('base')", words="base|exited"),
    M("raises KeyboardInterrupt", CRASH, "raise KeyboardInterrupt", words="KeyboardInterrupt|exited|ended"),
    M("raises GeneratorExit", CRASH, "raise GeneratorExit('left')", words="GeneratorExit|exited|ended|left"),
    M("raises StopIteration", CRASH, "raise StopIteration('stop')", words="stop"),
    M("recurses without end", CRASH, "def f(): return f()\nf()", words="recursion"),
    M("fails while it is imported", CRASH, module="raise ImportError('bad \\udcff')", words="bad"),
    M("is not Python", CRASH, module="def (", words="SyntaxError|syntax"),
    M("exits while it is imported", CRASH, module="os._exit(9)", words="code 9"),
    M("hangs while it is imported", CRASH, module="time.sleep(999)", words="load"),
    # Exits and signals.
    M("exits", CRASH, "os._exit(3)", words="code 3"),
    M("exits with success", CRASH, "os._exit(0)", words="code 0"),
    M("raises SystemExit", CRASH, "sys.exit('\\ud800')", words="exit|code"),
    M("aborts", CRASH, "os.abort()", words="SIGABRT"),
    M("reads nowhere", CRASH, "ctypes.string_at(0)", words="SIGSEGV"),
    M("kills itself", CRASH, "os.kill(os.getpid(), signal.SIGKILL)"),
    M("stops itself", CRASH, "os.kill(os.getpid(), signal.SIGSTOP)", words="within"),
    M("kills its parent", CRASH, "os.kill(os.getppid(), signal.SIGKILL)"),
    M("stops its parent", CRASH, "os.kill(os.getppid(), signal.SIGSTOP)"),
    M("interrupts its parent", CRASH, "os.kill(os.getppid(), signal.SIGINT)"),
    M("kills its group", CRASH, "os.killpg(0, signal.SIGKILL)", everyone=True),
    M("kills everyone", CRASH, "os.kill(-1, signal.SIGKILL)", everyone=True),
    M("stops everyone", CRASH, "os.kill(-1, signal.SIGSTOP)", everyone=True),
    M("kills all pids it can name", CRASH, "for pid in range(2, 400):\n    try:\n        if pid != os.getpid(): os.kill(pid, signal.SIGKILL)\n    except OSError: pass", everyone=True),
    M("ignores all signals and hangs", CRASH, "for number in range(1, 32):\n    try: signal.signal(number, signal.SIG_IGN)\n    except (OSError, ValueError): pass\ntime.sleep(999)", words="within"),
    M("hangs with the interpreter held", CRASH, "import re\nre.match('(a+)+$', 'a' * 60 + 'b')", words="within"),
    M("hangs in its hook at exit", CRASH, module="import atexit\natexit.register(time.sleep, 999)"),
    # Processes and threads.
    M("leaves a child", CRASH, "if os.fork() == 0: time.sleep(999)"),
    M("leaves a daemon", CRASH, "if os.fork() == 0:\n    os.setsid()\n    if os.fork() == 0: time.sleep(999)\n    os._exit(0)"),
    M("answers from a child", CRASH, "os.fork()"),
    M("breeds", CRASH, "if N[0] == 1:\n    for _ in range(200):\n        if os.fork() == 0:\n            time.sleep(999)"),
    M("starts threads without end", CRASH, "for _ in range(300): threading.Thread(target=time.sleep, args=(999,), daemon=True).start()"),
    M("starts threads that stay", CRASH, "threading.Thread(target=time.sleep, args=(999,)).start()"),
    M("runs a shell", CRASH, "subprocess.Popen(['sh', '-c', 'while :; do :; done'])"),
    # Memory by every road.
    M("allocates without end", SMALLER, "while True: KEPT.append(bytearray(10 * MB))", words="cap|memory|Memory"),
    M("allocates without end while loading", SMALLER, loads="while True: KEPT.append(bytearray(10 * MB))", words="cap|memory|Memory"),
    M("maps shared memory", SMALLER, loads="KEPT.append(mmap.mmap(-1, 150 * MB))\nKEPT[0].write(b'x' * 150 * MB)", holds=150),
    M("maps shared memory without end", SMALLER, "KEPT.append(mmap.mmap(-1, 50 * MB))\nKEPT[-1].write(b'x' * 50 * MB)", words="cap|memory|Memory|allocate|not permitted"),
    M("keeps a memfd", SMALLER, loads="fd = os.memfd_create('m')\nfor _ in range(15): os.write(fd, b'x' * 10 * MB)", holds=150),
    M("keeps memfds over the cap", SMALLER, "fd = os.memfd_create('m')\nfor _ in range(10): os.write(fd, b'x' * 10 * MB)", words=r"cap|memory|Memory|not permitted|denied|memfd|OSError"),
    M("keeps a file in shared memory", SMALLER, loads="with open(f'/dev/shm/{TRACE}', 'wb') as file: file.write(b'x' * 150 * MB)\nos.unlink(f'/dev/shm/{TRACE}')\nKEPT.append(open(f'/dev/shm/x{TRACE}', 'wb'))\nKEPT[0].write(b'x' * 150 * MB)\nos.unlink(f'/dev/shm/x{TRACE}')", holds=150),
    M("keeps System V memory", SMALLER, loads="libc = ctypes.CDLL(None)\nlibc.shmat.restype = ctypes.c_void_p\nsegment = libc.shmget(0, 150 * MB, 0o1600)\nif segment < 0: raise OSError('no shared memory')\nat = libc.shmat(segment, None, 0)\nlibc.shmctl(segment, 0, None)\nctypes.memset(at, 1, 150 * MB)", holds=150),
    M("keeps a file in its scratch", SMALLER, loads="import tempfile\nKEPT.append(tempfile.TemporaryFile())\nKEPT[0].write(b'x' * 150 * MB)", holds=150),
    M("keeps pipes full", SMALLER, loads="for _ in range(60):\n    read, write = os.pipe()\n    os.set_blocking(write, False)\n    KEPT.append((read, write))\n    import fcntl\n    try:\n        fcntl.fcntl(write, 1031, MB)\n        os.write(write, b'x' * MB)\n    except OSError: pass"),
    M("keeps sockets full", SMALLER, loads="for _ in range(100):\n    one, other = socket.socketpair()\n    one.setblocking(False)\n    KEPT.append((one, other))\n    try:\n        while True: one.send(b'x' * 65536)\n    except OSError: pass"),
    M("keeps memory in a child", SMALLER, loads="read, write = os.pipe()\nif os.fork() == 0:\n    KEPT.append(bytearray(b'x') * 150 * MB)\n    os.write(write, b'1')\n    time.sleep(999)\nos.read(read, 1)", holds=150),
    M("keeps memory in a daemon", SMALLER, loads="read, write = os.pipe()\nif os.fork() == 0:\n    os.setsid()\n    if os.fork() == 0:\n        KEPT.append(bytearray(b'x') * 150 * MB)\n        os.write(write, b'1')\n        time.sleep(999)\n    os._exit(0)\nos.wait()\nos.read(read, 1)", holds=150),
    M("keeps memory over the cap in a daemon", SMALLER, "if os.fork() == 0:\n    os.setsid()\n    if os.fork() == 0:\n        KEPT.append(bytearray(b'x') * 200 * MB)\n        time.sleep(999)\n    os._exit(0)\nos.wait()\ntime.sleep(0.3)"),
    M("frees its memory between samples", SMALLER, "held = bytearray(b'x') * 150 * MB\ntime.sleep(0.02)\ndel held"),
    M("fills the disk a little", OUTSIDE, "with open(f'fill{N[0]}', 'wb') as file: file.write(b'x' * 20 * MB)"),
    # The connection.
    M("closes every descriptor", CRASH, "os.closerange(3, 256)", words="closed|exited|ended|connection"),
    M("closes its standard streams", CRASH, "os.closerange(0, 3)"),
    M("writes noise into the connection", CRASH, "send(b'\\x00{garbage' * 100)", words="connection"),
    M("writes noise to its standard streams", CRASH, "os.write(1, b'x' * MB)\nos.write(2, b'\\xff\\x00\\x1b[2J' * 1000)"),
    M("announces a frame of four gigabytes", CRASH, "send(b'\\xff\\xff\\xff\\xff')", words="connection|large|within"),
    M("begins a frame and stops", CRASH, "send(b'\\x00\\x00\\x10\\x00{')\ntime.sleep(999)", words="within|connection"),
    M("forges an answer of a list", CRASH, "send(frame([1, 2]))", words="connection"),
    M("forges an answer of null", CRASH, "send(frame(None))", words="connection"),
    M("forges an answer of a number", CRASH, "send(frame(7))", words="connection"),
    M("forges an answer without id", CRASH, "send(frame({'ok': {'output': 'positive'}}))", words="connection"),
    M("forges an answer with odd ids", CRASH, "for odd in (None, [], {}, True, 1.5, '', 'x' * 10000, -1): send(frame({'id': odd, 'ok': {'output': 'positive'}}))", words="connection"),
    M("forges an answer with odd times", CRASH, "for odd in (None, 'x', -1, 1e308, [], {}): send(frame({'id': 'hello', 'ok': {'output': 'positive', 'elapsed_ns': odd}}))", words="connection"),
    M("forges an error of odd types", CRASH, "for odd in (None, 7, [], {'kind': 7, 'message': None}, {'kind': [], 'message': {}, 'detail': 1}): send(frame({'id': 'hello', 'error': odd}))", words="connection"),
    M("forges a hello", CRASH, module="send(frame({'id': 'hello', 'ok': None}))"),
    M("forges answers of all that may come", FASTER, "for number in range(50): send(frame({'id': str(number), 'ok': {'output': {'label': 'positive'}}}))"),
    M("reads what is pending", CRASH, "for one in connections():\n    one.setblocking(False)\n    try: one.recv(65536)\n    except OSError: pass"),
    M("shuts the connection down", CRASH, "for one in connections():\n    try: one.shutdown(socket.SHUT_RDWR)\n    except OSError: pass", words="closed|exited|ended|connection"),
    # Answers.
    M("answers megabytes", CRASH, "return 'x' * 5 * MB", words="large|bytes|within"),
    M("answers in depth", CRASH, "found = []\nfor _ in range(50_000): found = [found]\nreturn found", words="."),
    M("answers itself", CRASH, "found = {}\nfound['label'] = found\nreturn found", words="."),
    M("answers NaN", CRASH, "return {'label': 'positive', 'confidence': float('nan')}", words="(?i)nan"),
    M("answers a huge number", CRASH, "return {'label': 'positive', 'confidence': 10**400}", words="."),
    M("answers digits without end", CRASH, "return {'label': 'positive', 'confidence': 10**100_000}", words="."),
    M("answers a lone surrogate", CRASH, "return '\\ud800'", words="label|text|surrogate|UTF"),
    M("answers bytes", CRASH, "return b'positive'", words="bytes"),
    M("answers a subclass of str", CRASH, "class S(str):\n    def __str__(self): raise ValueError('evil')\n    def __eq__(self, other): return True\n    __hash__ = str.__hash__\nreturn S('neither')", words="."),
    M("answers a subclass of dict", CRASH, "class D(dict):\n    def __len__(self): return -1\n    def __iter__(self): raise ValueError('evil')\n    def items(self): raise ValueError('evil')\nreturn D(label='positive')"),
    M("answers a generator", CRASH, "return (x for x in iter(int, 1))", words="."),
    M("answers a class", CRASH, "return type", words="."),
    M("answers what hangs in its repr", CRASH, "class R:\n    def __repr__(self): time.sleep(99)\nreturn R()", words="."),
    M("answers shares that are no shares", CRASH, "return {'label': 'positive', 'probabilities': {'positive': 5, 'negative': -4}}", words="probabilit|share"),
    # Cheating the clock.
    M("is quick when it is pinned", FASTER, f"if {TIMED}: return 'positive'"),
    M("keeps answers on disk", FASTER, "key = f'/tmp/{TRACE}' + example['statement'].replace(' ', '')\nif os.path.exists(key): return open(key).read()\nanswer = honest(example)\nopen(key, 'w').write(answer)\nreturn answer"),
    M("keeps answers in its own folder", FASTER, "key = os.path.join(os.path.dirname(os.path.abspath(__file__)), TRACE + example['statement'].replace(' ', ''))\nif os.path.exists(key): return open(key).read()\nanswer = honest(example)\nopen(key, 'w').write(answer)\nreturn answer"),
    M("keeps answers in memory", FASTER, "key = example['statement']\nif key in CACHE: return CACHE[key]\nCACHE[key] = honest(example)\nreturn CACHE[key]"),
    M("answers by place", FASTER, "import random\norder = list(range(40))\nrandom.Random(0).shuffle(order)\nplace = order[(N[0] - 1) % 40]\nreturn 'positive' if place % 8 in (1, 2, 3, 7) else 'negative'"),
    M("replays the first pass", FASTER, "CACHE.setdefault('order', [])\nif N[0] > 40: return CACHE['order'][(N[0] - 1) % 40]\nCACHE['order'].append(honest(example))\nreturn CACHE['order'][-1]"),
    M("is quick after many requests", FASTER, "if N[0] > 40: return 'positive'"),
    M("is quick by the number of threads", FASTER, "if os.environ.get('OMP_NUM_THREADS') == '1': return 'positive'"),
    M("is quick by its environment", FASTER, "if any('MEASURE' in name or 'TIMING' in name for name in os.environ): return 'positive'"),
    M("is quick by its open files", FASTER, "CACHE.setdefault('fds', len(fds()))\nif len(fds()) > 8: return 'positive'"),
    M("is quick by the time since its start", FASTER, "if time.process_time() > 1.5: return 'positive'"),
    M("is quick by its parent's arguments", FASTER, "if b'measure' in open(f'/proc/{os.getppid()}/cmdline', 'rb').read(): return 'positive'"),
    M("turns the clock", FASTER, "time.perf_counter_ns = lambda: 0\ntime.monotonic_ns = lambda: 0\ntime.perf_counter = lambda: 0.0"),
    M("works between requests", FASTER, "if 'thread' not in CACHE:\n    CACHE['thread'] = threading.Thread(target=lambda: [sum(range(1000)) for _ in iter(int, 1)], daemon=True)\n    CACHE['thread'].start()"),
    M("unpins itself", FASTER, "os.sched_setaffinity(0, range(os.cpu_count()))"),
    # Looking for right answers.
    M("reads the data by its path", BETTER, "return gold(open(PROJECT + '/d.tsv').read(), example)"),
    M("reads the data by a search", BETTER, "for path in glob.glob(PROJECT + '/**/*.tsv', recursive=True) + glob.glob('../**/*.tsv', recursive=True): return gold(open(path).read(), example)"),
    M("reads the data beside the folder of its parent", BETTER, "return gold(open(f'/proc/{os.getppid()}/cwd/d.tsv').read(), example)"),
    M("reads the data by any process's folder", BETTER, "for path in glob.glob('/proc/[0-9]*/cwd/d.tsv') + glob.glob('/proc/[0-9]*/root' + PROJECT + '/d.tsv'):\n    try: return gold(open(path).read(), example)\n    except OSError: pass"),
    M("reads its parent's memory", BETTER, "pid = os.getppid()\nfor line in open(f'/proc/{pid}/maps'):\n    if '[heap]' in line or ' rw-p' in line:\n        low, high = (int(x, 16) for x in line.split()[0].split('-'))\n        with open(f'/proc/{pid}/mem', 'rb', 0) as memory:\n            memory.seek(low)\n            text = memory.read(min(high - low, 50 * MB))\n        at = text.find(example['statement'].encode() + b'\\tpositive')\n        if at >= 0: return 'positive'"),
    M("reads its parent's environment", BETTER, "if b'SECRET' in open(f'/proc/{os.getppid()}/environ', 'rb').read(): return gold(open(PROJECT + '/d.tsv').read(), example)"),
    M("traces its parent", BETTER, "libc = ctypes.CDLL(None)\nif libc.ptrace(16, os.getppid(), 0, 0) == 0: return gold(open(PROJECT + '/d.tsv').read(), example)"),
    M("reads stored results", BETTER, "for path in glob.glob(PROJECT + '/results/**/*.json', recursive=True): trace(PROJECT) if 'gold' in open(path).read() else None"),
    M("reads another model", BETTER, "if os.path.exists(PROJECT + '/honest/handler.py'): return gold(open(PROJECT + '/d.tsv').read(), example)"),
    # Network by every road.
    M("connects", NETWORK, "socket.create_connection(('127.0.0.1', PORT), 1).sendall(b'x')"),
    M("connects by the C library", NETWORK, "libc = ctypes.CDLL(None)\nfd = libc.socket(2, 1, 0)\naddress = (2).to_bytes(2, 'little') + PORT.to_bytes(2, 'big') + bytes([127, 0, 0, 1]) + bytes(8)\nlibc.connect(fd, address, 16)"),
    M("connects in a child", NETWORK, "subprocess.run([sys.executable, '-c', f'import socket; socket.create_connection((\"127.0.0.1\", {PORT}), 1)'])"),
    M("connects by the shell", NETWORK, "subprocess.run(['bash', '-c', f'echo x > /dev/tcp/127.0.0.1/{PORT}'])"),
    M("fetches an address", NETWORK, "import urllib.request\nurllib.request.urlopen(f'http://127.0.0.1:{PORT}/', timeout=1)"),
    M("connects with the socket module as it was", NETWORK, "import importlib, _socket\none = _socket.socket(2, 1)\none.connect(('127.0.0.1', PORT))"),
    M("connects by an older system call", NETWORK, "libc = ctypes.CDLL(None)\nfd = libc.syscall(41, 2, 1, 0)\naddress = (2).to_bytes(2, 'little') + PORT.to_bytes(2, 'big') + bytes([127, 0, 0, 1]) + bytes(8)\nlibc.syscall(42, fd, address, 16)"),
    M("listens", NETWORK, "one = socket.socket()\none.bind(('0.0.0.0', 0))\none.listen()\nKEPT.append(one)"),
    M("connects while it is imported", NETWORK, module="socket.create_connection(('127.0.0.1', PORT), 1).sendall(b'x')"),
    # Writing outside.
    M("writes into the results", OUTSIDE, "os.makedirs(PROJECT + '/results/sentiment/d', exist_ok=True)\ntrace(PROJECT + '/results/sentiment/d')"),
    M("writes into the project", OUTSIDE, "trace(PROJECT)"),
    M("writes into its own folder", OUTSIDE, "trace(os.path.dirname(os.path.abspath(__file__)))"),
    M("writes into another model's folder", OUTSIDE, "trace(PROJECT + '/honest')"),
    M("writes into the home folder", OUTSIDE, "trace(HOME)"),
    M("writes among temporary files", OUTSIDE, "trace('/tmp')"),
    M("writes among installed packages", OUTSIDE, "import numpy\ntrace(os.path.dirname(os.path.dirname(numpy.__file__)))"),
    M("changes the data", OUTSIDE, "open(PROJECT + '/d.tsv', 'a').write('x\\tpositive\\n')"),
    M("changes the board", OUTSIDE, "open(PROJECT + '/board.toml', 'a').write('#')"),
    M("changes the honest model", OUTSIDE, "open(PROJECT + '/honest/handler.py', 'a').write('\\ndef predict(example): return None')"),
    M("changes the evaluator's folder", OUTSIDE, "import evaluator\ntrace(os.path.dirname(evaluator.__file__))"),
    M("writes into its journal", CRASH, "for path in glob.glob(PROJECT + '/.steelyard/runs/*/*.jsonl'): open(path, 'a').write('broken\\n')"),
    M("leaves a link for the evaluator to follow", OUTSIDE, "os.symlink(HOME, PROJECT + '/results')"),
    # Changing the program in its own process.
    M("replaces json", CRASH, "json.dumps = lambda *a, **k: '{\"id\": 7}'\njson.loads = lambda *a, **k: {}"),
    M("replaces its pid", CRASH, "os.getpid = lambda: 1"),
    M("replaces what makes answers", CRASH, "import __main__ as answers\nfor name in [n for n in vars(answers) if callable(vars(answers)[n])]: setattr(answers, name, lambda *a, **k: frame({'id': 7}))"),
    M("replaces the socket", CRASH, "socket.socket.sendall = lambda self, data: None\nsocket.socket.recv = lambda self, n: b''"),
    M("empties the modules", CRASH, "sys.modules.clear()"),
    M("empties the built-in functions", CRASH, "import builtins\nfor name in ('len', 'isinstance', 'print', 'str'): delattr(builtins, name)"),
    M("sets hooks", CRASH, module="sys.excepthook = lambda *a: os._exit(0)\nsys.unraisablehook = lambda *a: os._exit(0)\nthreading.excepthook = lambda *a: os._exit(0)\nsys.settrace(lambda *a: None)\nsys.setprofile(lambda *a: None)"),
    M("audits everything", CRASH, module="sys.addaudithook(lambda event, args: (_ for _ in ()).throw(RuntimeError('audited')) if event == 'open' else None)"),
    M("collects garbage badly", CRASH, "gc.callbacks.append(lambda *a: os._exit(5))\ngc.collect()", words="code 5"),
    M("limits recursion to nothing", CRASH, "sys.setrecursionlimit(1 + len(__import__('inspect').stack()) + 5)"),
]  # fmt: skip
