import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'

const root = new URL('../..', import.meta.url).pathname

/** What the parts of `shared/` may import of each other; the files beside them are open to all. */
const allowed: Record<string, string[]> = {
  ai: ['settings'],
  api: ['search', 'usage', 'bundle', 'policy', 'ai'],
  mcp: ['search'],
  http: ['mcp'],
  cli: ['keys', 'settings', 'store'],
  parse: ['ingest', 'search', 'ai'],
  ingest: ['search', 'ai'],
  store: ['search', 'settings', 'ai', 'usage'],
  settings: ['keys', 'search'],
  usage: [],
  bundle: ['search', 'ingest', 'ai'],
  policy: ['search'],
  search: ['ai'],
  keys: [],
}
/** The files of `shared/` that stand alone, and what they build on. */
const ground: Record<string, string[]> = {
  'base-url.ts': ['metadata-address.ts'],
  'library.ts': ['errors.ts', 'visible-text.ts'],
  'metadata-address.ts': ['errors.ts'],
  'network.ts': ['errors.ts'],
  'read-body.ts': ['errors.ts', 'timed-chunks.ts'],
  'timed-chunks.ts': ['errors.ts'],
  'turns.ts': ['errors.ts', 'unless-aborted.ts'],
}

const onFirstUse =
  /^(@anthropic-ai|@asciidoctor|@aws-sdk|@lancedb|@modelcontextprotocol|better-auth|jose|jszip|linkedom|openai|remark|smol-toml|unified|yaml|yauzl|zod-openapi)\b/

/** `late`: loaded when that line runs, not with the file. */
type Import = { file: string; target: string; typeOnly: boolean; late: boolean }

const importLine =
  /^(?:import|export)\s+(type\s)?[^;'"]*?from\s+'([^']+)'|^import\s+'([^']+)'|\bimport\('([^']+)'\)|new URL\('(\.[^']+\.ts)'/gm

function importsOf(folder: string): Import[] {
  const files = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).filter((name) => /\.tsx?$/.test(name))
  return files.flatMap((name) => {
    const file = join(folder, name)
    const found = [...readFileSync(join(root, file), 'utf8').matchAll(importLine)]
    return found.map(([, type, from, bare, dynamic, url]) => {
      const target = from ?? bare ?? dynamic ?? url ?? ''
      const late = from === undefined && bare === undefined
      return { file, target: target.startsWith('.') ? join(dirname(file), target) : target, typeOnly: type !== undefined, late }
    })
  })
}

const shared = importsOf('shared')
const onprem = importsOf('onprem')
const functions = importsOf('functions')
const partOf = (path: string) => path.split('/')[1] ?? ''

test('imports are seen: of each half some hundred', () => {
  expect(shared.length).toBeGreaterThan(150)
  expect(onprem.length).toBeGreaterThan(100)
})

test('shared/ imports neither half', () => {
  expect(shared.filter(({ target }) => /^(onprem|functions|stacks|test)\//.test(target))).toEqual([])
})

test('onprem/ imports shared/ and itself', () => {
  expect(onprem.filter(({ target }) => /^(functions|stacks|test)\//.test(target))).toEqual([])
})

test('functions/ imports shared/ and itself', () => {
  expect(functions.filter(({ target }) => /^(onprem|stacks|test)\//.test(target))).toEqual([])
})

test('the parts of shared/ import each other only as the architecture allows', () => {
  const wrong = shared.filter(({ file, target }) => {
    if (!target.startsWith('shared/')) return false
    const [from, to] = [partOf(file), partOf(target)]
    if (from === to) return false
    if (to.endsWith('.ts')) return from.endsWith('.ts') && !ground[from]?.includes(to)
    return !allowed[from]?.includes(to)
  })
  expect(wrong).toEqual([])
})

test('only shared/store/lance.ts loads LanceDB; others know its types', () => {
  const loading = [...shared, ...onprem, ...functions].filter(
    ({ target, typeOnly }) => target.startsWith('@lancedb/') && !typeOnly,
  )
  expect(loading.map(({ file }) => file)).toEqual(['shared/store/lance.ts'])
})

test('a server starts without parsers, LanceDB and the MCP package: they load on first use', () => {
  const loaded = new Set(['onprem/main.ts'])
  for (const file of loaded) {
    const imports = [...onprem, ...shared].filter((each) => each.file === file && !each.typeOnly && !each.late)
    for (const { target } of imports) loaded.add(target)
  }
  expect(loaded).toContain('hono')
  expect([...loaded].filter((target) => onFirstUse.test(target))).toEqual([])
})

test('the core reads no environment but the variables that LanceDB must find', () => {
  const files = [...new Set(shared.map(({ file }) => file))]
  const reading = files.filter((file) => readFileSync(join(root, file), 'utf8').includes('process.env'))
  expect(reading).toEqual(['shared/store/lance.ts'])
})
