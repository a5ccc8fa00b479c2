import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { secretNames, settingNames } from '../../shared/settings/settings.ts'

const root = new URL('../..', import.meta.url).pathname
const maxLineLength = 160

const pages = (folder: string) =>
  readdirSync(join(root, folder))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `${folder}/${name}`)
const docs = ['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'SECURITY.md', 'examples/README.md', ...pages('docs')]
const folders = ['shared', 'onprem', 'functions', 'stacks', 'test', 'docs', 'examples']

type Line = { file: string; number: number; text: string; isCode: boolean }

function linesOf(file: string): Line[] {
  let isCode = false
  return readFileSync(join(root, file), 'utf8')
    .split('\n')
    .map((text, index) => {
      const isFence = text.trim().startsWith('```')
      if (isFence) isCode = !isCode
      return { file, number: index + 1, text, isCode: isCode || isFence }
    })
}

const lines = docs.flatMap(linesOf)
const place = ({ file, number }: Line) => `${file}:${number}`

/** A path from the root of the project, as a file or a folder: `onprem/server.ts`, `shared/search/`. */
const repositoryPath = new RegExp(`(?<![\\w./-])(?:${folders.join('|')})/[\\w./-]*[\\w/-]`, 'g')

test('every file and folder that the documentation names exists', () => {
  const named = lines.flatMap((line) => [...line.text.matchAll(repositoryPath)].map(([path]) => ({ at: place(line), path })))
  expect(named.length).toBeGreaterThan(150)
  expect(named.filter(({ path }) => !existsSync(join(root, path)))).toEqual([])
})

test('every picture that the documentation shows exists and has a description, and every picture is shown', () => {
  const shown = lines.flatMap((line) =>
    line.isCode
      ? []
      : [...line.text.matchAll(/!\[(.*?)\]\((.+?)\)/g)].map(([, description = '', path = '']) => ({
          at: place(line),
          description,
          path: join(dirname(line.file), path),
        })),
  )
  const pictures = readdirSync(join(root, 'docs/images')).map((name) => `docs/images/${name}`)
  expect([...new Set(shown.map(({ path }) => path))].sort()).toEqual(pictures.sort())
  expect(shown.filter(({ description }) => description.length < 20)).toEqual([])
})

test('the architecture page names every folder of the halves', () => {
  const page = readFileSync(join(root, 'docs/architecture.md'), 'utf8')
  const parts = ['shared', 'onprem', 'functions'].flatMap((half) =>
    readdirSync(join(root, half), { withFileTypes: true }).flatMap((each) =>
      each.isDirectory() && readdirSync(join(root, half, each.name)).length > 0 ? `${half}/${each.name}/` : [],
    ),
  )
  expect(parts.filter((part) => !page.includes(`\`${part}\``))).toEqual([])
})

test('every function in a box of a diagram is in its file', () => {
  const boxes = lines.flatMap((line) =>
    [...line.text.matchAll(/"([\w./-]+\.ts)<br>(\w+)"/g)].map(([, path = '', name = '']) => ({ at: place(line), path, name })),
  )
  expect(boxes.length).toBeGreaterThan(40)
  const isExported = (path: string, name: string) =>
    new RegExp(`^export .*\\b${name}\\b`, 'm').test(existsSync(join(root, path)) ? readFileSync(join(root, path), 'utf8') : '')
  expect(boxes.filter(({ path, name }) => !isExported(path, name))).toEqual([])
})

test('the configuration page describes every setting and every variable of the two servers', () => {
  const page = readFileSync(join(root, 'docs/configuration.md'), 'utf8')
  const variables = ['onprem/config.ts', 'functions/local/local-config.ts'].flatMap((file) =>
    [...readFileSync(join(root, file), 'utf8').matchAll(/^ {2}([A-Z_]+): /gm)].map(([, name = '']) => name),
  )
  expect(variables).toContain('TRUSTED_PROXIES')
  const names = [...variables, ...settingNames, ...secretNames]
  expect(names.filter((name) => !page.includes(`\`${name}\``))).toEqual([])
})

test('the command line page describes every command', () => {
  const page = readFileSync(join(root, 'docs/command-line.md'), 'utf8')
  const files = readdirSync(join(root, 'onprem/cli/commands')).filter((name) => name !== 'client-doctor.ts')
  const commands = files.map((name) => `carrel ${name.replace('.ts', '')}`)
  expect(commands).toContain('carrel add')
  expect(commands.filter((command) => !page.includes(`\`${command} `) && !page.includes(`\`${command}\``))).toEqual([])
})

test('the messages on the troubleshooting page are those of the program', () => {
  const sources = ['shared', 'onprem'].flatMap((half) =>
    readdirSync(join(root, half), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => readFileSync(join(root, half, name), 'utf8')),
  )
  const program = sources.join('\n')
  const cells = linesOf('docs/troubleshooting.md').flatMap(({ text }) => /^\| ([^|]+) \|/.exec(text)?.[1] ?? [])
  const messages = cells.flatMap((cell) => [...cell.matchAll(/`([A-Z…][^`]* [^`]*)`/g)].map(([, message = '']) => message))
  expect(messages.length).toBeGreaterThan(15)
  const parts = messages.flatMap((message) => message.split('…')).map((part) => part.trim())
  expect(parts.filter((part) => !program.includes(part))).toEqual([])
})

test('the landing page of the documentation links to every page', () => {
  const page = readFileSync(join(root, 'docs/README.md'), 'utf8')
  const names = readdirSync(join(root, 'docs')).filter((name) => name.endsWith('.md') && name !== 'README.md')
  expect(names.filter((name) => !page.includes(`](${name})`))).toEqual([])
})

test('every decision has a context, a decision and consequences, and each deviation is listed', () => {
  const [intro = '', ...records] = readFileSync(join(root, 'docs/decisions.md'), 'utf8').split(/^### /m)
  const partsOf = (record: string) => [...record.matchAll(/^\*\*(\w+)\.\*\*/gm)].map(([, part]) => part)
  const titleOf = (record: string) => record.split('\n')[0]
  const isComplete = (record: string) => /^Context,Decision,Consequences(,Deviation)?$/.test(String(partsOf(record)))
  expect(records.length).toBeGreaterThan(50)
  expect(records.filter((record) => !isComplete(record)).map(titleOf)).toEqual([])
  const deviations = records.filter((record) => partsOf(record).includes('Deviation')).map(titleOf)
  const listed = [...intro.matchAll(/^- \[(.+)\]\(#/gm)].map(([, title]) => title)
  expect(listed.sort()).toEqual(deviations.sort())
})

test('every link between pages leads to a page and a heading', () => {
  const slug = (heading: string) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-')
  const headings = (file: string) =>
    linesOf(file).flatMap(({ text, isCode }) => (isCode ? [] : (/^#+ (.+)$/.exec(text)?.[1] ?? [])))
  const links = lines.flatMap((line) =>
    [...line.text.matchAll(/\]\((?!https?:)([^)#]*)(?:#([^)]+))?\)/g)].map(([, path = '', anchor]) => ({
      at: place(line),
      to: path === '' ? line.file : join(line.file, '..', path),
      anchor,
    })),
  )
  const isBroken = ({ to, anchor }: (typeof links)[number]) =>
    !existsSync(join(root, to)) || (anchor !== undefined && !headings(to).map(slug).includes(anchor))
  expect(links.filter(isBroken)).toEqual([])
})

test(`no line of prose is longer than ${maxLineLength} characters`, () => {
  const long = lines.filter(({ text, isCode }) => !isCode && !text.trimStart().startsWith('|') && text.length > maxLineLength)
  expect(long.map(place)).toEqual([])
})

test('no page, message or built program runs the package carrel of a public registry, which is not ours', () => {
  const sources = ['shared', 'onprem', 'functions', 'packaging', 'examples', 'docs'].flatMap((folder) =>
    globSync(`${folder}/**/*.{ts,tsx,md,mdx,json,js,mjs,html,sh,yaml}`, { cwd: root }),
  )
  const files = [...new Set([...sources, ...docs, 'server.json'])]
  const runs =
    /\b(?:npx|bunx|npm (?:exec|x|i|install|add)|pnpm (?:dlx|add|exec)|yarn (?:dlx|add|global add))(?: --?[\w=-]+)* carrel(?![\w./-])/
  expect(files.some((file) => file.startsWith('onprem/web/dist/'))).toBe(true)
  expect(files.filter((file) => runs.test(readFileSync(join(root, file), 'utf8')))).toEqual([])
  expect(JSON.parse(readFileSync(join(root, 'server.json'), 'utf8'))).not.toHaveProperty('packages')
})
