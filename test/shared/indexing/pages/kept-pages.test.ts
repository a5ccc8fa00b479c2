import { expect, test } from 'vitest'
import { type Files, indexedLibrary } from '../../../fixtures/indexed-library.ts'

// Not quick: suspect pages are read in a process, and dozens of generations are slow.
const section = (n: number) =>
  `## Part ${n}\n\nThe lever number ${n} turns wheel ${n * 7} of the clock in the tower of the town.\n`
const guide = (...parts: number[]) => `# Guide\n\n${parts.map(section).join('\n')}`

test('a page is kept until its own file, or a file that it includes, changes, appears or is gone', async () => {
  const { index } = indexedLibrary()
  const files: Files = {
    'a.md': guide(1),
    'b.md': `# Including\n\n--8<-- "part.md"\n\n--8<-- "later.md"\n`,
    'part.md': section(2),
    'c.rst': 'Clock\n=====\n\nHow it is built.\n\n.. literalinclude:: clock.py\n',
    'clock.py': 'print("tick")\n',
  }
  const kept = async (generation: string, change: Files, earlier: string) => {
    Object.assign(files, change)
    const { filesRead, filesKept } = await index(generation, files, { earlier })
    return [filesRead, filesKept]
  }
  expect(await index('g0', files)).toMatchObject({ filesRead: 3, filesKept: 0 })
  expect(await kept('g1', { 'a.md': guide(3) }, 'g0')).toEqual([1, 2])
  expect(await kept('g4', { 'part.md': section(4), 'clock.py': 'print("tock")\n' }, 'g1')).toEqual([2, 1])
  expect(await kept('g5', { 'later.md': section(5) }, 'g4')).toEqual([1, 2])
  delete files['part.md']
  expect(await kept('g6', {}, 'g5')).toEqual([1, 2])
  expect(await kept('g7', { 'part.md': { link: 'later.md' } }, 'g6')).toEqual([1, 2])
  expect(await kept('g8', {}, 'g7')).toEqual([1, 2])
})

test('the page of a Go package is kept until one of its files changes, appears or is gone', async () => {
  const { index, stored } = indexedLibrary()
  const file = (name: string) => `package kit\n\n// ${name} turns the lever of the clock.\nfunc ${name}() {}\n`
  const files: Files = { 'go.mod': 'module example.org/kit\n', 'a.go': file('A'), 'b.go': file('B'), 'sub/c.go': file('C') }
  const after = async (generation: string, earlier?: string) => {
    const { filesRead, filesKept } = await index(generation, files, { apiReference: true, ...(earlier && { earlier }) })
    const names = (await stored(generation)).rows.map(({ breadcrumb }) => breadcrumb.at(-1))
    return [filesRead, filesKept, names.join(' ')]
  }
  expect(await after('g0')).toEqual([2, 0, 'kit.A kit.B kit.C'])
  expect(await after('g1', 'g0')).toEqual([0, 2, 'kit.A kit.B kit.C'])
  files['b.go'] = file('Second')
  expect(await after('g2', 'g1')).toEqual([1, 1, 'kit.A kit.Second kit.C'])
  files['d.go'] = file('D')
  expect(await after('g3', 'g2')).toEqual([1, 1, 'kit.A kit.Second kit.D kit.C'])
  delete files['b.go']
  expect(await after('g4', 'g3')).toEqual([1, 1, 'kit.A kit.D kit.C'])
})

test('pages with a title that many pages have are read again when they become many', async () => {
  const { index, stored } = indexedLibrary()
  const page = (n: number) => `<h1>Kit</h1>\n\n${section(n)}`
  const files: Files = {
    'one.md': page(1),
    'three.md': page(3),
    'two.md': page(2),
    'other.md': '# Other\n\nIt is about other parts of the clock.\n',
  }
  const titles = async (generation: string) => [
    ...new Set((await stored(generation)).rows.map(({ breadcrumb }) => breadcrumb[0])),
  ]
  await index('g0', files)
  expect(await titles('g0')).toEqual(['Kit', 'Other'])
  files['two/four.md'] = page(4)
  expect(await index('g1', files, { earlier: 'g0' })).toMatchObject({ filesRead: 4, filesKept: 1 })
  expect(await titles('g1')).toEqual(['Part 1', 'Other', 'Part 3', 'Part 2', 'Part 4'])
  expect(await index('g2', files, { earlier: 'g1' })).toMatchObject({ filesRead: 0, filesKept: 5 })
  await index('g3', files, { suspects: ['one.md'] })
  expect(await stored('g3')).toEqual(await stored('g2'))
})

test('a moved file is read, a skipped file is kept with its reason, and another release reads every file', async () => {
  const { index, stored } = indexedLibrary()
  const files: Files = { 'a.md': guide(1), 'empty.md': '', 'lfs.md': 'version https://git-lfs.github.com/spec/v1\n' }
  const first = await index('g0', files)
  expect((await index('g1', files, { earlier: 'g0' })).skipped).toEqual(first.skipped)
  expect(first.skipped).toHaveLength(2)
  const { 'a.md': a, ...rest } = files
  const moved = { ...rest, 'moved/a.md': a as string }
  expect(await index('g2', moved, { earlier: 'g1' })).toMatchObject({ filesRead: 1, filesKept: 0 })
  expect((await stored('g2')).rows[0]?.path).toBe('moved/a.md')
  expect(await index('g3', moved, { earlier: 'g2', release: '2' })).toMatchObject({ filesRead: 1, filesKept: 0 })
  expect(await index('g4', moved, { earlier: 'gone' })).toMatchObject({ filesRead: 1, filesKept: 0 })
})

test('copies of sections are kept with their pages when another page with them changes or is gone', async () => {
  const { index, stored, snippets } = indexedLibrary()
  const paths = async (generation: string) =>
    (await stored(generation)).rows.map(({ path, topic, copy }) => `${path} ${topic}${copy ? ' copy' : ''}`)
  const copy = { 'b.md': guide(1), 'c.md': guide(1, 2) }
  await index('g0', { 'a.md': guide(1), ...copy })
  expect(await paths('g0')).toEqual(['a.md part 1', 'b.md part 1 copy', 'c.md part 1 copy', 'c.md part 2'])
  expect(await index('g1', copy, { earlier: 'g0' })).toMatchObject({ filesRead: 0, filesKept: 2, snippets: 3 })
  expect(await paths('g1')).toEqual(['b.md part 1', 'c.md part 1 copy', 'c.md part 2'])
  await index('g2', { 'a.md': guide(2), ...copy }, { earlier: 'g1' })
  expect(await paths('g2')).toEqual(['a.md part 2', 'b.md part 1', 'c.md part 1 copy', 'c.md part 2 copy'])
  const [first] = (await stored('g2')).rows
  const library = await snippets.statistics('g2')
  expect(library?.copiesOf(first?.hash ?? '', 0)).toEqual([expect.stringMatching(/\/c\.md#L\d+$/)])
})

test('pages that may have crashed the server are stored in their place, with all their sections, and kept by the next job', async () => {
  const { index, stored } = indexedLibrary()
  const files: Files = {
    'a.md': guide(1),
    'b.md': `# Including\n\n--8<-- "part.md"\n\n${section(1)}`,
    'c.md': guide(1, 2, 3),
    'd.md': guide(3, 4),
    'part.md': section(5),
  }
  await index('g0', files)
  expect(await index('g1', files, { suspects: ['c.md', 'a.md'] })).toMatchObject({ filesRead: 4, skipped: [] })
  expect(await stored('g1')).toEqual(await stored('g0'))
  expect(await index('g2', files, { earlier: 'g1' })).toMatchObject({ filesRead: 0, filesKept: 4 })
})

test('a refresh after any change stores the same bytes as a full read', async () => {
  const { index, stored } = indexedLibrary()
  let seed = 7
  const below = (limit: number) => {
    seed = (seed * 48_271) % 2_147_483_647
    return seed % limit
  }
  const names = ['a.md', 'b.mdx', 'c/d.md', 'c/e.md', 'f.md', 'g.rst', 'part.md', 'z.md']
  const texts = [
    () => guide(below(4), below(4)),
    () => guide(below(4), 10 + below(4), below(4)),
    () => `# Including ${below(2)}\n\n--8<-- "part.md"\n\n${section(below(4))}`,
    () => '',
    () => `---\ntitle: T${below(3)}\n---\n\nA crank moves a piston ${below(3)} times.\n\n\`\`\`js\nturn(${below(9)})\n\`\`\`\n`,
  ]
  const files: Files = Object.fromEntries(names.map((name, n) => [name, texts[n % texts.length]?.() ?? '']))
  let [read, kept] = [0, 0]
  await index('n0', files)
  for (let n = 1; n <= 5; n++) {
    for (let changes = 1 + below(3); changes > 0; changes--) {
      const name = names[below(names.length)] as string
      if (below(4) === 0) delete files[name]
      else files[name] = below(8) === 0 ? { link: 'a.md' } : (texts[below(texts.length)]?.() ?? '')
    }
    files['a.md'] = guide(below(4))
    const report = await index(`n${n}`, files, { earlier: `n${n - 1}` })
    const full = await index(`f${n}`, files)
    expect(await stored(`n${n}`)).toEqual(await stored(`f${n}`))
    const { filesRead, filesKept, ...figures } = report
    expect({ ...figures, filesRead: filesRead + filesKept, filesKept: 0 }).toEqual(full)
    read += filesRead
    kept += filesKept
  }
  expect(kept).toBeGreaterThan(read / 2)
})
