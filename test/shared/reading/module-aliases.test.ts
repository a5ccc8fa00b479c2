import { expect, test } from 'vitest'
import { countModuleAliases, type ModuleAliases, moduleAliasesIn, usualAliases } from '../../../shared/reading/module-aliases.ts'

const counted = (documents: string[]): ModuleAliases => {
  const counts: ModuleAliases = new Map()
  for (const text of documents) countModuleAliases(counts, moduleAliasesIn(text))
  return counts
}
const times = (count: number, text: string): string[] => Array.from({ length: count }, () => text)

test.each([
  ['a code block', '```python\nimport jax.numpy as jnp\n```'],
  ['a prompt', '>>> import jax.numpy as jnp  # doctest: +SKIP'],
  ['a quoted and indented block', '>     import jax.numpy as jnp;'],
  ['the JSON of a notebook', '    "import jax.numpy as jnp\\n",'],
])('an import is read in %s', (_, text) => {
  expect(moduleAliasesIn(text)).toEqual(['jax.numpy as jnp'])
})

test.each([
  ['a sentence', 'You may import settings as well, or import jax.numpy as jnp.'],
  ['a single letter', 'import jax.sharding as P'],
  ['a class', 'from jax.sharding import PartitionSpec as Spec'],
  ['a private name', 'import jax.numpy as _jnp'],
])('%s is no import of a module under another name', (_, text) => {
  expect(moduleAliasesIn(text)).toEqual([])
})

test('a document counts once, however often it imports a module', () => {
  expect(counted(times(2, 'import dask.array as da\n'.repeat(5)))).toEqual(new Map([['dask.array as da', 2]]))
})

test('a library has the names under which its documentation imports its modules, and those of no other library', () => {
  const documents = [
    ...times(9, 'import jax.numpy as jnp\nimport numpy as np'),
    ...times(4, 'import jax.scipy as jsp'),
    ...times(3, 'import jax.numpy as xnp'),
  ]
  expect(usualAliases(counted(documents), ['jax', 'jaxlib'])).toEqual(['jnp', 'jsp'])
  expect(usualAliases(counted(times(3, 'import scikit_image.io as skio')), ['scikit-image'])).toEqual(['skio'])
})

test('a name in two documents, or in few compared with the others, does not mean the library', () => {
  const documents = [...times(17, 'import dask.array as da'), ...times(6, 'import dask.bag as db')]
  expect(usualAliases(counted(documents), ['dask'])).toEqual(['da'])
  expect(usualAliases(counted(times(2, 'import dask.array as da')), ['dask'])).toEqual([])
})

test('a hostile document gives at most a hundred names, in linear time', () => {
  const many = Array.from({ length: 10_000 }, (_, n) => `import a${n} as b${n}`).join('\n')
  expect(moduleAliasesIn(many).length).toBe(100)
  expect(moduleAliasesIn(`${' '.repeat(200_000)}import a as bb\n${'import '.repeat(50_000)}${'\n'.repeat(200_000)}`)).toEqual([])
})
