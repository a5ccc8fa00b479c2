import { describe, expect, test } from 'vitest'
import { readPage } from '../../../../shared/reading/read-page.ts'
import { contextOf, pageText } from '../page-text.ts'

const read = async (path: string, files: Record<string, string>) =>
  pageText(await readPage(files[path] ?? '', contextOf(path, files)))

/** Excerpts of numpy 2.4 (BSD-3-Clause), https://github.com/numpy/numpy, shortened. */
const numpy = {
  'numpy/__init__.py': `"""
NumPy
=====
Provides an array object.
"""
if not __NUMPY_SETUP__:
    from . import _core, linalg
    from ._core import (
        absolute,
        linspace,  # noqa: F401
        ndarray,
    )
    from .lib._npyio_impl import savez as save_all

def __getattr__(attr):
    if attr == "char":
        import numpy.char as char
        return char
`,
  'numpy/_core/__init__.py': 'from . import umath\nfrom .function_base import *\n',
  'numpy/_core/function_base.py': `import operator

__all__ = ['logspace', 'linspace']


def _linspace_dispatcher(start, stop, num=None):
    return (start, stop)


@array_function_dispatch(_linspace_dispatcher)
def linspace(start, stop, num=50, endpoint=True, *,
             device=None):
    r"""
    Return evenly spaced numbers over a specified interval.

    Parameters
    ----------
    num : int, optional
        Number of samples to generate. Default is 50.

    See Also
    --------
    arange : Similar to \`linspace\`, but uses a step size (instead of the
             number of samples).

    Examples
    --------
    >>> np.linspace(2.0, 3.0, num=3)
    array([2. , 2.5, 3. ])

    """
    return start


def add_newdoc(place, obj, doc):
    """Add documentation to an existing object."""
`,
  'numpy/_core/code_generators/__init__.py': '',
  'numpy/_core/code_generators/ufunc_docstrings.py': `
add_newdoc('numpy._core.umath', 'absolute',
    """
    Calculate the absolute value element-wise.

    Parameters
    ----------
    x : array_like
        Input array.
    $PARAMS

    Notes: :math:\`\\\\sqrt{ a^2 + b^2 }\`.
    """)
add_newdoc('numpy._core.umath', '_ones_like', """For internal use.""")
add_newdoc('numpy._core.multiarray', 'ndarray', ('all',
    """
    a.all(axis=None, out=None)

    Returns True if all elements evaluate to True.
    """))
`,
  'numpy/lib/__init__.py': '',
  'numpy/lib/_npyio_impl.py': 'def savez(file, *args):\n    """Save several arrays into a single file."""\n',
  'numpy/char/__init__.py': 'from numpy._core.defchararray import *\n',
  'numpy/_core/defchararray.py': '__all__ = ["title"]\ndef title(a):\n    """Titlecase."""\n',
}

describe('a module of Python', () => {
  test('shows the names that a package exports, as users import them, with numpydoc as text and doctests as code', async () => {
    expect(await read('numpy/_core/function_base.py', numpy)).toMatchInlineSnapshot(`
      "# numpy

      ## numpy.linspace

      ~~~ python
      def linspace(start, stop, num=50, endpoint=True, *, device=None)
      ~~~

      Return evenly spaced numbers over a specified interval.

      **Parameters**

      **num** (int, optional): Number of samples to generate. Default is 50.

      **See Also**

      - arange : Similar to \`linspace\`, but uses a step size (instead of the
        number of samples).

      **Examples**

      ~~~ pycon
      >>> np.linspace(2.0, 3.0, num=3)
      array([2. , 2.5, 3. ])
      ~~~"
    `)
  })

  test('has the documentation that add_newdoc gives to compiled names', async () => {
    expect(await read('numpy/_core/code_generators/ufunc_docstrings.py', numpy)).toMatchInlineSnapshot(`
      "# numpy

      ## numpy.absolute

      ~~~ python
      numpy.absolute
      ~~~

      Calculate the absolute value element-wise.

      **Parameters**

      **x** (array_like): Input array.

      Notes: \`sqrt{ a^2 + b^2 }\`.

      ## numpy.ndarray

      ~~~ python
      numpy.ndarray
      ~~~

      ## numpy.ndarray > numpy.ndarray.all

      ~~~ python
      a.all(axis=None, out=None)
      ~~~

      a.all(axis=None, out=None)

      Returns True if all elements evaluate to True."
    `)
  })

  test('names what a package exports under another name, and what it loads when it is used', async () => {
    expect(await read('numpy/lib/_npyio_impl.py', numpy)).toContain('## numpy.save_all')
    expect(await read('numpy/_core/defchararray.py', numpy)).toContain('# numpy.char\n\n## numpy.char.title')
  })

  test('has no names that begin with an underscore or that __all__ omits, and nothing of a private module', async () => {
    const code = 'def shown():\n    """Shown."""\ndef omitted():\n    """Omitted."""\ndef _hidden():\n    """Hidden."""\n'
    const files = (all: string) => ({ 'kit/__init__.py': '', 'kit/use.py': all + code, 'kit/_own.py': code })
    const names = (text: string) => [...text.matchAll(/^## (.*)$/gm)].map(([, name]) => name)
    expect(names(await read('kit/use.py', files('')))).toEqual(['kit.use.shown', 'kit.use.omitted'])
    expect(names(await read('kit/use.py', files('__all__ = ["shown"]\n')))).toEqual(['kit.use.shown'])
    expect(names(await read('kit/_own.py', files('')))).toEqual([])
  })

  test('shows classes with their fields, their constructor and their public methods', async () => {
    const text = `class Client(Base):
    """Talks to a server.

    Args:
        url (str): The address.
            It ends without a slash.
        retries: How often a request is repeated.

    Raises:
        ValueError: If the address is empty.
    """

    timeout: float = 5.0
    _secret: str = ''

    def __init__(self, url: str, retries: int = 3) -> None:
        self.url = url

    @property
    def host(self) -> str:
        """The name of the server."""

    @host.setter
    def host(self, value): ...

    @overload
    def get(self, path: str) -> str: ...
    @overload
    def get(self, path: bytes) -> bytes: ...
    async def get(self, path):
        """Requests a page."""

    def close(self): ...
    def _reset(self): ...
`
    expect(await read('client.py', { 'client.py': text })).toMatchInlineSnapshot(`
      "# client

      ## client.Client

      ~~~ python
      class Client(Base):
          timeout: float = 5.0
          def __init__(self, url: str, retries: int = 3) -> None
      ~~~

      Talks to a server.

      **Args**

      **url** (str): The address.
      It ends without a slash.

      **retries**: How often a request is repeated.

      **Raises**

      **ValueError**: If the address is empty.

      ~~~ python
      def close(self)
      ~~~

      ## client.Client > client.Client.host

      ~~~ python
      def host(self) -> str
      ~~~

      The name of the server.

      ## client.Client > client.Client.get

      ~~~ python
      def get(self, path: str) -> str
      def get(self, path: bytes) -> bytes
      async def get(self, path)
      ~~~

      Requests a page."
    `)
  })

  test('has the signatures of its stub and the names that only the stub has, in one page', async () => {
    const files = {
      'kit/__init__.py': '',
      'kit/tent.py': `def pitch(place, size=1):
    """Pitch a tent."""

def fold(tent, tight=None):
    """Fold a tent."""

class Tent:
    """A tent."""
    def open(self, door):
        """Open a door."""

def old(tent):
    """Left out by the stub."""
`,
      'kit/tent.pyi': `from typing import overload
__all__ = ['pitch', 'fold', 'Tent', 'peg']
def pitch(place: str, size: int = ...) -> Tent: ...
@overload
def fold(tent: Tent) -> None: ...
@overload
def fold(tent: Tent, tight: bool) -> None: ...
class Tent:
    size: int
    def open(self, door: int) -> None: ...
def peg(depth: float) -> None:
    """Set a peg."""
`,
      'rope-stubs/__init__.pyi': 'def pull(force: float) -> None:\n    """Pull the rope."""\n',
    }
    expect(await read('kit/tent.py', files)).toMatchInlineSnapshot(`
      "# kit.tent

      ## kit.tent.pitch

      ~~~ python
      def pitch(place: str, size: int = ...) -> Tent
      ~~~

      Pitch a tent.

      ## kit.tent.fold

      ~~~ python
      def fold(tent, tight=None)
      ~~~

      Fold a tent.

      ## kit.tent.Tent

      ~~~ python
      class Tent:
          size: int
      ~~~

      A tent.

      ## kit.tent.Tent > kit.tent.Tent.open

      ~~~ python
      def open(self, door: int) -> None
      ~~~

      Open a door.

      ## kit.tent.peg

      ~~~ python
      def peg(depth: float) -> None
      ~~~

      Set a peg."
    `)
    expect(await read('kit/tent.pyi', files)).toBe('# (no title)')
    expect(await read('rope-stubs/__init__.pyi', files)).toContain('## rope.pull')
  })

  test('has the names of a stub of up to 1 MB, and says that a larger one is not read', async () => {
    const files = (chars: number) => ({
      'tent.py': 'def pitch():\n    """Pitch."""\n',
      'tent.pyi': `def peg() -> int:\n    """Set a peg."""\n# ${'x'.repeat(chars)}\n`,
    })
    const page = (chars: number) => readPage(files(chars)['tent.py'], contextOf('tent.py', files(chars)))
    expect((await page(400_000)).sections.map(({ headings }) => headings.at(-1))).toEqual(['tent.pitch', 'tent.peg'])
    expect((await page(1024 * 1024)).omitted).toBe('these files of it are not read: tent.pyi')
  })

  test('is the page of a stub whose module is too large', async () => {
    const stub = 'def peg() -> int:\n    """Set a peg."""\n'
    expect(await read('tent.pyi', { 'tent.py': `# ${'x'.repeat(1024 * 1024)}`, 'tent.pyi': stub })).toContain('## tent.peg')
  })

  test('lists exported names without documentation in one section', async () => {
    const text = 'def a(x): ...\ndef b():\n    """Documented."""\nclass C: pass\n'
    expect(await read('kit.py', { 'kit.py': text })).toContain('## Other exports\n\n~~~ python\ndef a(x)\nclass C:\n~~~')
  })

  test('keeps the lines of the file', async () => {
    const { sections } = await readPage('\n\ndef a():\n    """First.\n\n    >>> a()\n    """\n', contextOf('kit.py'))
    expect(sections.map(({ line, endLine, blocks }) => [line, endLine, blocks.map((block) => block.line)])).toEqual([
      [3, 7, [3, 4, 6]],
    ])
  })

  test.each([
    ['invalid syntax', 'def a():\n    """A."""\n    return ]] x\n\ndef b():\n    """Second."""\n', 'kit.b'],
    ['brackets nested 100,000 deep', `x = ${'('.repeat(100_000)}\n`, ''],
    ['classes nested 3,000 deep', Array.from({ length: 3_000 }, (_, at) => `${' '.repeat(at)}class A:`).join('\n'), ''],
    ['a docstring that never ends', 'def a():\n    """A.\n', ''],
    ['no code', '\u0000\u0001 %%% ```', ''],
  ])('is read without an error if it has %s', async (_, text, expected) => {
    expect(await read('kit.py', { 'kit.py': text })).toContain(expected)
  })
})
