//! Code that means no good, and what it must end with.

/// A snippet; any of the words, separated by `|`, must be in its error.
pub(crate) type Snippet = (String, &'static str);

const LIMIT: &str = "TimeoutError|memory|stopped after";

/// Snippets for both filters and `run_code`.
pub(crate) fn snippets() -> Vec<Snippet> {
    let mut all: Vec<Snippet> = Vec::new();
    let groups: [&[(&str, &'static str)]; 9] =
        [LOOPS, MEMORY, RECURSION, INTEGERS, ESCAPES, PRINTING, REGEXES, TOOLS, CLASSES];
    for group in groups {
        all.extend(group.iter().map(|(source, ends)| ((*source).to_owned(), *ends)));
    }
    all.extend(sources());
    all
}

const LOOPS: &[(&str, &str)] = &[
    ("while True: pass", LIMIT),
    ("while True:\n  try:\n    while True: pass\n  except: pass", LIMIT),
    ("while True:\n  try: 1 / 0\n  except: pass", LIMIT),
    ("while True:\n  try: raise BaseException('no')\n  except BaseException: continue\n  finally: pass", LIMIT),
    ("for i in range(10**12): pass", LIMIT),
    ("def f():\n  try: f()\n  finally: f()\nf()", "RecursionError|TimeoutError"),
    ("sum(range(10**11))", LIMIT),
    ("list(map(lambda x: x, range(10**10)))", LIMIT),
    ("max(i for i in range(10**11))", LIMIT),
    ("list(iter(int, 1))", LIMIT),
    ("import itertools\nlist(itertools.count())", LIMIT),
    ("import itertools\nfor x in itertools.cycle([1]): pass", LIMIT),
    ("import itertools\nany(x < 0 for x in itertools.count())", LIMIT),
    ("sorted(range(10**9))", LIMIT),
    ("import itertools\nlen(list(itertools.product(range(1000), repeat=5)))", LIMIT),
    ("import itertools\nlist(itertools.repeat(1))", LIMIT),
    ("'abc' in ('b' * 10 for _ in range(10**12))", LIMIT),
    ("s = 'while True: pass'\nexec(s)", LIMIT),
    ("async def f(): return 1\nwhile True: f()", LIMIT),
    ("async def f():\n  while True: await g()\nasync def g(): return 1\nawait f()", LIMIT),
];

const MEMORY: &[(&str, &str)] = &[
    ("'a' * 10**10", LIMIT),
    ("x = [0] * 10**10", LIMIT),
    ("x = []\nwhile True: x.append('a' * 1000 + str(len(x)))", LIMIT),
    ("x = 'a'\nwhile True: x += x", LIMIT),
    ("x = {}\ni = 0\nwhile True:\n  x[i] = str(i)\n  i += 1", LIMIT),
    ("bytes(10**10)", LIMIT),
    ("a = [1]\nfor _ in range(60): a = a + a", LIMIT),
    ("'%1000000000d' % 1", "memory|Error|stopped after"),
    ("f'{1:>10000000000}'", "memory|Error|stopped after"),
    ("'{:>{}}'.format('a', 10**10)", "memory|Error|stopped after"),
    ("'a'.ljust(10**10)", LIMIT),
    ("x = 'a,' * 10**6\nwhile True: y = x.split(',') * 10", LIMIT),
    ("','.join(['a' * 10**6] * 10**5)", LIMIT),
    ("x = ()\nwhile True: x = (x, x)", "TimeoutError|memory|crashed|stopped after"),
    ("from collections import deque\nd = deque()\nwhile True: d.append([d])", LIMIT),
    ("x = set()\nwhile True: x.add(len(x) * 'ab')", LIMIT),
    ("import json\njson.loads('[' + '1,' * 10**7 + '1]') * 100", LIMIT),
];

const RECURSION: &[(&str, &str)] = &[
    ("def f(): f()\nf()", "RecursionError"),
    ("f = lambda: f()\nf()", "RecursionError"),
    ("def f(n): return f(n - 1) if n else 0\nf(10**6)", "RecursionError"),
    ("s = 'eval(s)'\neval(s)", "RecursionError"),
    ("async def f(): await f()\nawait f()", "RecursionError"),
    ("import json\njson.loads('[' * 100000)", "Error"),
    ("import json\nx = []\nfor _ in range(100000): x = [x]\njson.dumps(x)", "RecursionError|crashed|ValueError"),
    ("import copy\nx = []\nfor _ in range(100000): x = [x]\ncopy.deepcopy(x)", "RecursionError|crashed"),
    ("x = []\ny = []\nfor _ in range(100000):\n  x = [x]\n  y = [y]\nx == y\n1 / 0", "Error|crashed"),
    ("x = []\nfor _ in range(100000): x = [x]\nrepr(x)\n1 / 0", "Error|crashed"),
    ("x = {}\nfor _ in range(100000): x = {'a': x}\nprint(x)\n1 / 0", "Error|crashed"),
    ("sorted([1, 2], key=lambda x: sorted([1, 2], key=lambda y: exec('raise KeyError(\"x\")')))", "KeyError"),
];

const INTEGERS: &[(&str, &str)] = &[
    ("x = 3**1000000\nwhile True: x = x * x", LIMIT),
    ("2 ** 10**10", "memory|Error|stopped after"),
    ("10 ** 10 ** 10", "memory|Error|stopped after"),
    ("1 << 10**12", "memory|Error|stopped after"),
    ("x = 7\nfor _ in range(100): x **= 3", LIMIT),
    ("import math\nmath.factorial(10**7)", "memory|Error|stopped after"),
    ("divmod(7 ** 3000000, 3 ** 1000000)\n1 / 0", "Error|stopped after"),
    ("int('9' * 10**7)", "ValueError|TimeoutError|stopped after"),
    ("str(7 ** 3000000)", "ValueError|TimeoutError|stopped after"),
    ("float(10**400)", "OverflowError"),
    ("import math\nmath.comb(10**6, 5 * 10**5)\n1 / 0", "Error|stopped after"),
    ("pow(3, 10**7, 10**1000000)\n1 / 0", "Error|stopped after"),
    ("import decimal\ndecimal.Decimal(10) ** 10**9\n1 / 0", "Error|Overflow|stopped after"),
];

const ESCAPES: &[(&str, &str)] = &[
    ("open('/etc/passwd').read()", "PermissionError"),
    ("open('/tmp/x', 'w').write('x')", "PermissionError"),
    ("__import__('os').system('id')", "NameError"),
    ("import os\nos.system('id')", "AttributeError"),
    ("import os\nos.listdir('/')", "PermissionError"),
    ("import os\nos.getenv('HOME')\nos.environ['HOME']", "Error"),
    ("import os\nos.chdir('/etc')\nos.remove('passwd')", "Error"),
    ("import subprocess", "ModuleNotFoundError"),
    ("import socket", "ModuleNotFoundError"),
    ("import ctypes", "ModuleNotFoundError"),
    ("import importlib\nimportlib.import_module('os')", "ModuleNotFoundError"),
    ("from os import fork\nfork()", "ImportError"),
    ("().__class__.__bases__[0].__subclasses__()", "AttributeError"),
    ("(lambda: 0).__code__", "AttributeError"),
    ("(lambda: 0).__globals__", "AttributeError"),
    ("'{0.__class__.__init__.__globals__}'.format(kcp)", "AttributeError"),
    ("getattr({}, '__cl' + 'ass__').__mro__[1].__subclasses__()", "AttributeError"),
    ("type('X', (object,), {'a': 1})().a.b", "Error"),
    ("globals()['__builtins__']", "NameError"),
    ("__builtins__.open", "NameError"),
    ("__loader__", "NameError"),
    ("import sys\nsys.modules['os'].system('id')", "AttributeError"),
    ("import sys\nsys.exit(3)", "SystemExit|AttributeError"),
    ("raise SystemExit('x')", "SystemExit"),
    ("raise SystemExit(0)", "RuntimeError"),
    ("raise KeyboardInterrupt", "KeyboardInterrupt"),
    ("raise MemoryError('not really')", "MemoryError"),
    ("exit()", "NameError"),
    ("input()", "NameError"),
    ("breakpoint()", "NameError"),
    ("compile('1', 'a', 'eval')", "NameError"),
    ("import pathlib\npathlib.Path('/etc/passwd').read_text()", "PermissionError"),
    ("import pathlib\nlist(pathlib.Path('/').iterdir())", "PermissionError"),
    ("import time\ntime.sleep (100)", "PermissionError"),
    ("import asyncio\nawait asyncio.sleep (100)", "PermissionError"),
    ("kcp.__init__('x')", "Error"),
    ("kcp.get.__self__", "AttributeError"),
    ("setattr(kcp, 'get', lambda *a: 1)\nkcp.nothing()", "AttributeError"),
    ("chr(0x110000)", "ValueError"),
];

const PRINTING: &[(&str, &str)] = &[
    ("while True: print('a' * 1000)", LIMIT),
    ("while True: print(end='')", LIMIT),
    ("print('a' * 10**9)", LIMIT),
    ("import sys\nwhile True: print('x', file=sys.stderr)", LIMIT),
    ("print(*range(10**9))", LIMIT),
];

const REGEXES: &[(&str, &str)] = &[
    ("import re\nre.match('(a+)+$', 'a' * 40 + 'b')\n1 / 0", "Error|stopped after"),
    ("import re\nre.match(r'(a|aa)+\\1$', 'a' * 1000 + 'b')\n1 / 0", "Error|stopped after"),
    ("import re\nre.match(r'(?=(a+))\\1*b(a*)*(a*)*$', 'a' * 5000)\n1 / 0", "Error|stopped after"),
    ("import re\nre.compile('(' * 10000)", "Error"),
    ("import re\nre.compile('(' * 5000 + ')' * 5000)\n1 / 0", "Error|crashed"),
    ("import re\nre.compile('((a{1000}){1000}){1000}')\n1 / 0", "Error|memory|stopped after"),
    ("import re\nre.sub('', 'b' * 10**6, 'a' * 10**6)", LIMIT),
    ("import re\nre.findall('.*' * 20 + 'x', 'a' * 10000)\n1 / 0", "Error|stopped after"),
];

const TOOLS: &[(&str, &str)] = &[
    ("while True: get('a')", "more than"),
    ("while True:\n  try: get('a')\n  except: pass", "more than"),
    ("import asyncio\nawait asyncio.gather(*[get('a') for _ in range(10**5)])", "more than"),
    ("stuck()", "no answer yet"),
    ("import asyncio\nawait asyncio.gather(*[stuck() for _ in range(5)])", "no answer yet"),
    ("while True:\n  try: stuck()\n  except: pass", "more than|TimeoutError"),
    ("x = 'a' * 10**6\nwhile True: x = echo(x=x + x)['x']", "more than 4 MB"),
    ("get(**{'a' + str(i): i for i in range(100000)})", "TypeError|stopped after"),
    ("get(*range(100000))", "TypeError"),
    ("x = []\nx.append(x)\necho(x=x)", "TypeError"),
    ("x = []\nfor _ in range(1000): x = [x]\necho(x=x)", "TypeError|crashed"),
    ("echo(x=3**10000)", "TypeError"),
    ("echo(x=kcp)", "TypeError"),
    ("echo(x=echo)", "TypeError"),
    ("__asyncai_filter(1, 2, 3)", "Error"),
];

const CLASSES: &[(&str, &str)] = &[
    ("def g():\n  yield 1", "NotImplementedError"),
    ("class A(list): pass", "Error"),
    ("class A:\n  def __repr__(self): return repr(self)\nrepr(A())", "RecursionError"),
    ("class A:\n  def __getattr__(self, n): return getattr(self, n)\nA().x", "RecursionError|AttributeError"),
    ("class A:\n  def __eq__(self, o): return self == o\nA() == A()", "RecursionError"),
    ("class A:\n  def __hash__(self): return hash(self)\n{A(): 1}", "RecursionError"),
    ("class A:\n  def __len__(self): return -1\nlen(A())", "TypeError"),
    ("class A:\n  def __iter__(self): return self\n  def __next__(self): return 1\nlist(A())", LIMIT),
    ("class A:\n  def __str__(self): return 'a' * 10**10\nf'{A()}'", LIMIT),
    ("class A:\n  def __lt__(self, o):\n    while True: pass\nsorted([A(), A()])", "TypeError"),
];

/// Sources that are hard to read.
fn sources() -> Vec<Snippet> {
    let nested: String = (0..150).map(|n| " ".repeat(n) + "if 1:\n").collect();
    vec![
        ("(".repeat(7000) + "1" + &")".repeat(7000), "SyntaxError"),
        ("[".repeat(15000), "SyntaxError"),
        ("{1:".repeat(5000), "SyntaxError"),
        ("-".repeat(15000) + "a", "Error|crashed"),
        ("not ".repeat(4000) + "a", "Error|crashed"),
        ("a".to_owned() + &".a".repeat(7000), "Error|crashed"),
        ("a".to_owned() + &"()".repeat(7000), "Error|crashed"),
        ("a".to_owned() + &"[0]".repeat(5000), "Error|crashed"),
        ("a".to_owned() + &"+a".repeat(7000), "Error|crashed"),
        ("a".to_owned() + &" if a else a".repeat(1200), "Error|crashed"),
        ("lambda: ".repeat(1900) + "1\n1/0", "Error|crashed"),
        ("a = ".repeat(3900) + "b", "Error|crashed"),
        (nested, "Error|crashed"),
        ("eval('1' + '+1' * 500000)\n1 / 0".to_owned(), "Error|crashed|memory|stopped after"),
        ("eval('(' * 100000)".to_owned(), "SyntaxError"),
        ("exec('x = ' + '[' * 100000)".to_owned(), "SyntaxError"),
        ("exec('if 1:\\n' * 10000)".to_owned(), "Error"),
        ("x = 1\0".to_owned(), "SyntaxError"),
        ("'''".to_owned(), "SyntaxError"),
        ("\u{feff}\u{feff}\u{200b}x".to_owned(), "Error"),
        ("f'{".repeat(2000), "SyntaxError"),
        ("x = 0xffffffff_".to_owned(), "SyntaxError"),
        ("9".repeat(15000) + "/0", "Error"),
        ("import ".repeat(2000), "SyntaxError"),
    ]
}
