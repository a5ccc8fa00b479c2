import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { expect, test } from 'vitest'

const root = new URL('../..', import.meta.url).pathname

const listFiles = (folder: string) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.d.ts'))
    .map((name) => join(folder, name))
const read = (file: string) => readFileSync(join(root, file), 'utf8')

const product = ['shared', 'onprem', 'functions'].flatMap(listFiles)

/** Families of small functions, and entries of threads: the name of the file says their subject. */
const namedAfterSubject = [
  'functions/access/visibility.ts',
  'functions/aws/base-ports.ts',
  'functions/aws/stage-ports.ts',
  'functions/catalog/catalog-changes.ts',
  'shared/reading/discover/list-files-worker.ts',
  'shared/reading/rst/rst-lists.ts',
  'shared/search/statistics/bm25.ts',
  'shared/text/figures.ts',
  'shared/usage/hyperloglog.ts',
]

const exported = /^export (?:declare )?(?:async )?(?:const|function\*?|type|class|interface|let)\s+(\w+)/gm
const exportsOf = (file: string) => [...read(file).matchAll(exported)].map(([, name = '']) => name)

/** The words of a name, in the singular. */
const wordsOf = (name: string) =>
  name
    .replaceAll(/([a-z\d])([A-Z])/g, '$1-$2')
    .toLowerCase()
    .split('-')
    .map((word) => word.replace(/ies$/, 'y').replace(/s$/, ''))

/** True also for an entry, which exports nothing or only its handler. */
function sharesWord(file: string): boolean {
  const names = exportsOf(file).filter((name) => name !== 'handler')
  const words = new Set(names.flatMap(wordsOf))
  return names.length === 0 || wordsOf(basename(file, '.ts')).some((word) => words.has(word))
}

test('the name of a file shares a word with something that the file exports', () => {
  expect(product.filter((file) => !sharesWord(file)).sort()).toEqual(namedAfterSubject)
})

test('an upper limit is called max, never most or longest', () => {
  const files = [...product, ...listFiles('stacks'), ...listFiles('test')].filter((file) => file !== 'test/shared/names.test.ts')
  const found = files.flatMap((file) =>
    [...read(file).matchAll(/\b(?:most|longest)[A-Z]\w*/g)].map(([name]) => `${file}: ${name}`),
  )
  expect(found).toEqual([])
})

test('a comment begins with its subject or a verb, not with the middle of a sentence', () => {
  const files = [...product, ...listFiles('test'), ...listFiles('tools'), ...listFiles('packaging')]
  const fragment = /(?:\/\*\*|^\s*\*|^\s*\/\/) (?:Of|As|By|What|Whether|Who|Whoever|Whom|Whose|Why) /
  const found = files.flatMap((file) => {
    const lines = read(file).split('\n')
    const isStart = (at: number) => !/^\s*(?:\*|\/\/) [^ ]/.test(lines[at - 1] ?? '')
    return lines.flatMap((line, at) => (fragment.test(line) && isStart(at) ? `${file}:${at + 1}: ${line.trim()}` : []))
  })
  expect(found).toEqual([])
})

test('the name of a test begins with its subject or a verb, not with the middle of a sentence', () => {
  const fragment =
    /(?:\b(?:test|describe)|\))\(\s*['"`](?:after|also|and|as|at|before|but|by|during|even|for|from|how|if|in|into|of|on|or|since|so|that|then|to|unless|until|what|whatever|when|where|whether|which|while|who|whoever|whose|why|with|without) [^'"`\n]*/g
  const found = listFiles('test').flatMap((file) => [...read(file).matchAll(fragment)].map(([call]) => `${file}: ${call}`))
  expect(found).toEqual([])
})
