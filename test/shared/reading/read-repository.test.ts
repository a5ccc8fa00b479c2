import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { RepoFiles } from '../../fixtures/git-repository.ts'
import { tempDir } from '../../fixtures/temp-dir.ts'
import { type LoggedJob, type TestInstall, testInstall } from '../../fixtures/test-install.ts'

let install: TestInstall

beforeAll(async () => {
  install = await testInstall()
})
afterAll(() => install.close())

const parse = async (repo: string, files: RepoFiles, more?: Record<string, unknown>): Promise<LoggedJob> => {
  await install.git.create(repo, { files })
  const job = await install.parse(repo, more)
  expect(job).toMatchObject({ state: 'done', error: null })
  return job
}

test('a page includes files of its repository in every format, and nothing that a link leads to outside', async () => {
  const formats = [
    ['markdown', 'docs/a.md', '# Page\n\nThe markdown lever turns.\n\n--8<-- "kept.md"\n', 'docs/kept.md'],
    ['import', 'docs/b.mdx', 'import Kept from "./kept.mdx"\n\n# Page\n\nThe import lever turns.\n\n<Kept />\n', 'docs/kept.mdx'],
    ['snippet', 'docs/c.mdx', '# Page\n\nThe snippet lever turns.\n\n<Snippet file="kept.mdx" />\n', 'snippets/kept.mdx'],
    ['asciidoc', 'docs/d.adoc', '= Page\n\nThe asciidoc lever turns.\n\ninclude::kept.adoc[]\n', 'docs/kept.adoc'],
    ['rst', 'docs/e.rst', 'Page\n====\n\nThe rst lever turns.\n\n.. include:: kept.txt\n', 'docs/kept.txt'],
  ] as const
  const outside = tempDir()
  for (const [format] of formats) writeFileSync(join(outside, format), `The ${format} zoetrope is private.\n`)
  const pages = Object.fromEntries(formats.map(([, path, text]) => [path, text]))
  const kept = (content: (format: string) => RepoFiles[string]) =>
    Object.fromEntries(formats.map(([format, , , path]) => [path, content(format)]))
  const answers = () => Promise.all(formats.map(([format]) => install.context('/takes/in', `${format} lever`)))

  await parse('takes/in', { ...pages, ...kept((format) => ({ link: join(outside, format) })) })
  expect((await answers()).map((answer) => /The (\w+) lever turns/.exec(answer)?.[1])).toEqual(formats.map(([format]) => format))
  expect((await answers()).flatMap((answer) => /The \w+ zoetrope is private/.exec(answer) ?? [])).toEqual([])

  await install.git.commit('takes/in', { files: kept((format) => `The ${format} zoetrope spins.\n`) })
  const { report } = await install.refresh('takes/in')
  expect(report).toMatchObject({ filesRead: 5, snippetsAfter: 5, skipped: [] })
  expect((await answers()).map((answer) => /The (\w+) zoetrope spins/.exec(answer)?.[1])).toEqual(
    formats.map(([format]) => format),
  )
})

describe('the project file', () => {
  const page = { 'README.md': '# Clock\n\nThe lever turns.\n' }
  const title = (repo: string) => install.app.catalog.find({ owner: 'named', repo })?.title

  test('may be context7.json, unless carrel.json exists', async () => {
    const context7 = { ...page, 'context7.json': JSON.stringify({ projectTitle: 'Seven', rules: ['Wind it daily.'] }) }
    await parse('named/seven', context7)
    expect(title('seven')).toBe('Seven')
    expect(await install.context('/named/seven', 'lever')).toContain('Wind it daily.')

    await parse('named/both', { ...context7, 'carrel.json': JSON.stringify({ projectTitle: 'Carrel' }) })
    expect(title('both')).toBe('Carrel')
    expect(await install.context('/named/both', 'lever')).not.toContain('Wind it daily.')
  })

  test('is read without the rule and the folder that exceed its limits, which are logged', async () => {
    const projectFile = {
      rules: Array.from({ length: 51 }, (_, n) => `Wind it ${n + 1} times.`),
      excludeFolders: [...Array.from({ length: 199 }, (_, n) => `no-${n}`), 'internal', 'public'],
    }
    const files = { ...page, 'internal/a.md': '# Internal', 'public/b.md': '# Public\n\nThe wheel turns.\n' }
    const { log, report } = await parse('named/long', { ...files, 'carrel.json': JSON.stringify(projectFile) })
    expect(log.map(({ line }) => line)).toEqual(
      expect.arrayContaining([
        'Project file: rules in carrel.json holds 51 items; only the first 50 are used',
        'Project file: excludeFolders in carrel.json holds 201 items; only the first 200 are used',
      ]),
    )
    expect(report).toMatchObject({ filesRead: 2, skipped: [{ path: 'internal/', reason: 'excludeFolders: internal' }] })
    const answer = await install.context('/named/long', 'lever')
    expect(answer).toContain('Wind it 50 times.')
    expect(answer).not.toContain('Wind it 51 times.')
  })
})

test('a document is read from any folder that no pattern excludes, and OpenAPI with its version at its end', async () => {
  const schemas = Object.fromEntries(
    Array.from({ length: 500 }, (_, n) => [`Gear${n}`, { type: 'object', description: 'A gear' }]),
  )
  const paths = { '/gears': { get: { summary: 'List the sprockets', responses: {} } } }
  const { report } = await parse('any/folder', {
    'README.md': '# Clock\n\nThe lever turns.\n',
    'docs/vendor/x.md': '# Vendor\n\nThe escapement ticks.\n',
    'docs/old/y.md': '# Old\n\nThe sundial stands.\n',
    'api.json': JSON.stringify({ definitions: schemas, info: { title: 'Gears', version: '1' }, paths, swagger: '2.0' }),
    'data.json': JSON.stringify({ schemas, note: 'no swagger, no openapi' }),
    'docs/requirements.txt': 'sphinx\n',
  })
  expect(report?.filesRead).toBe(3)
  expect(report?.skipped).toEqual(
    expect.arrayContaining([
      { path: 'docs/old/', reason: 'excludeFolders: old' },
      { path: 'docs/requirements.txt', reason: 'a list for programs' },
    ]),
  )
  expect(report?.skipped).toHaveLength(2)
  expect(await install.context('/any/folder', 'escapement')).toContain('The escapement ticks.')
  expect(await install.context('/any/folder', 'list sprockets')).toContain('GET /gears')

  const asked = await install.parse('any/folder', { excludeFolders: ['vendor'] })
  expect(asked.report?.skipped.map(({ path }) => path).sort()).toEqual(['docs/requirements.txt', 'docs/vendor/'])
})

test('text of two pages belongs to both and is shown once; nearly the same text on one page is stored once; distinct code is kept', async () => {
  const words = (who: string) =>
    `The ${who} lets the wheel advance by one tooth at every swing of the pendulum, and so the hands of the clock, which weigh more than one would think, are moved by the weight alone and move on`
  const tick = `## Tick\n\n${words('escapement')}.\n`
  const near = ['now', 'again', 'soon'].map((when) => `## Chime ${when}\n\n${words('hammer')} ${when}.\n`).join('\n')
  const { report } = await parse('said/twice', {
    'a.md': `# Clock\n\nThe lever turns.\n\n${tick}`,
    'b.md': `# Watch\n\nThe crown winds.\n\n${tick}`,
    'c.md': `# Bell\n\n${near}\n\`\`\`js\nchime(3)\n\`\`\`\n`,
  })
  expect(report).toMatchObject({ filesRead: 3, snippetsAfter: 6 })
  expect((await install.context('/said/twice', 'escapement pendulum')).split(words('escapement'))).toHaveLength(2)
  const chime = await install.context('/said/twice', 'hammer chime')
  expect(chime).not.toContain('move on again.')
  expect(chime).toContain('chime(3)')
})

test('a library is found by the names in its manifests', async () => {
  await parse('by/name', {
    'README.md': '# Clockwork\n\nThe lever turns.\n',
    'package.json': '{"name": "@acme/sprocket"}',
    'pyproject.toml': '[project]\nname = "pyzoetrope"\n',
    'carrel.json': JSON.stringify({ projectTitle: 'Clockwork', description: 'Wheels and hands' }),
  })
  for (const libraryName of ['@acme/sprocket', 'pyzoetrope']) {
    const { body } = await install.call('GET', `/api/v2/libs/search?${new URLSearchParams({ libraryName })}`)
    expect((body.results as { id: string }[])?.[0]?.id).toBe('/by/name')
  }
})
