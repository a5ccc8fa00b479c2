import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'

const root = new URL('../..', import.meta.url).pathname

type Half = 'shared' | 'onprem' | 'functions'
/** The parts of the same half that each part of it imports. A part is a folder or a file directly in the half. */
type Directions = Record<string, string>

/** Every other part of `shared/` may import these. */
const foundation = ['errors.ts', 'library.ts', 'log.ts', 'schemas', 'snippet.ts', 'system', 'text', 'time']

const allowed: Record<Half, Directions> = {
  shared: {
    'library.ts': 'errors.ts text',
    schemas: 'errors.ts library.ts network text',
    system: 'errors.ts text',
    time: 'errors.ts',
    network: '',
    oidc: 'network',
    ai: 'network settings',
    api: 'http policy search usage',
    bundle: 'reading search zip',
    cli: 'keys settings store',
    clients: '',
    http: 'network',
    logging: '',
    freshness: '',
    indexing: 'ai freshness network reading screening search sources',
    keys: '',
    mcp: 'api http search',
    packages: 'reading',
    policy: '',
    reading: 'network screening search zip',
    screening: '',
    search: 'ai screening',
    settings: 'freshness keys network',
    sources: 'network reading',
    store: 'search settings usage',
    usage: '',
    web: 'api clients indexing packages policy',
    zip: '',
  },
  onprem: {
    app: 'access accounts actions backup cloud config.ts declared events forwarding freshness hooks import jobs models monitoring notifications oauth second-factor sso store support usage',
    'config.ts': 'accounts',
    'install.ts': 'accounts app backup config.ts monitoring open-install.ts store',
    'open-install.ts': 'app config.ts server.ts store support',
    'main.ts': 'config.ts install.ts',
    'server.ts': 'access accounts app monitoring queries routes',
    access: 'accounts oauth store',
    actions: 'access accounts backup cloud import jobs notifications second-factor store usage',
    backup: 'accounts import store',
    cli: 'access accounts actions backup config.ts declared hooks main.ts models notifications open-install.ts second-factor server.ts store support',
    cloud: 'support',
    declared: 'access accounts actions store',
    events: 'store',
    export: 'access accounts store',
    forwarding: 'accounts notifications',
    freshness: 'jobs store',
    hooks: 'access accounts actions declared store',
    import: 'access accounts store',
    jobs: 'import store support',
    models: 'accounts store',
    monitoring: 'store support',
    notifications: 'store support',
    queries: 'access accounts backup cloud events notifications store support usage',
    routes:
      'access accounts actions backup cloud declared events export forwarding hooks import models monitoring notifications oauth queries scim second-factor sso store support usage',
    oauth: '',
    'second-factor': 'accounts',
    scim: 'accounts',
    sso: 'accounts',
    store: '',
    support: 'store',
    usage: 'store',
    web: 'server.ts',
  },
  functions: {
    'hosted.ts': 'access bundles catalog claims counting exports freshness jobs objects recovery takedown',
    'server.ts': 'access bundles hosted.ts jobs pages queries routes',
    access: 'catalog',
    admin: 'access bundles catalog counting freshness jobs recovery takedown',
    aws: 'access bundles catalog counting dynamo freshness generations hosted.ts jobs objects recovery worker',
    bundles: 'catalog objects',
    catalog: 'objects',
    claims: 'access catalog',
    cli: 'access admin aws bundles counting local recovery takedown',
    dashboard: 'access admin catalog claims exports freshness hosted.ts jobs queries recovery routes takedown',
    dynamo: 'access bundles catalog claims counting exports freshness jobs takedown',
    entries: 'aws bundles counting dashboard freshness jobs server.ts worker',
    freshness: 'catalog jobs',
    jobs: 'access catalog counting objects takedown',
    exports: 'access bundles objects',
    local: 'access admin bundles catalog counting dashboard dynamo freshness hosted.ts jobs objects recovery server.ts worker',
    pages: 'access catalog hosted.ts queries takedown',
    queries: 'access catalog counting jobs',
    recovery: 'access catalog counting jobs objects takedown',
    routes: 'access bundles catalog freshness jobs takedown',
    takedown: 'access',
    web: 'access dashboard',
    worker: 'access catalog jobs objects takedown',
  },
}

/** Only these files, which connect ports and adapters, know all parts of a half; a feature declares the ports it needs. */
const knowsAllParts: Record<string, RegExp> = {
  'onprem/app/open-app.ts': /^onprem\/(install|open-install|server)\.ts$/,
  'functions/hosted.ts': /^functions\/(server|dashboard\/app|pages\/public-pages|local\/open-local|aws\/stage-ports)\.ts$/,
}

const onFirstUse =
  /^(@asciidoctor|@aws-sdk|@lancedb|@modelcontextprotocol|@vscode|better-auth|graphql|jose|jszip|linkedom|mammoth|markdown-it|nodemailer|openai|openid-client|smol-toml|unpdf|yaml|yauzl|zod-openapi)\b/

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
const stacks = importsOf('stacks')
const halves = { shared, onprem, functions }
const all = [...shared, ...onprem, ...functions, ...stacks]

const show = ({ file, target }: Import) => `${file} imports ${target}`
const partOf = (path: string) => path.split('/')[1] ?? ''
/** A file directly in a half is a separate node; any other belongs to its folder. */
const folderOf = (path: string) => (path.split('/').length === 2 ? path : dirname(path))

/** Imports between the parts of one half. */
const betweenParts = (half: Half) =>
  halves[half].filter(({ file, target }) => target.startsWith(`${half}/`) && partOf(file) !== partOf(target))
const listOf = (half: Half, part: string) => allowed[half][part]?.split(' ').filter((each) => each !== '') ?? []

test('the check reads the imports of shared/ and of both halves', () => {
  expect(shared.length).toBeGreaterThan(800)
  expect(onprem.length).toBeGreaterThan(400)
  expect(functions.length).toBeGreaterThan(300)
})

test('shared/ imports neither half', () => {
  expect(shared.filter(({ target }) => /^(onprem|functions|stacks|test)\//.test(target)).map(show)).toEqual([])
})

test('onprem/ imports shared/ and itself', () => {
  expect(onprem.filter(({ target }) => /^(functions|stacks|test)\//.test(target)).map(show)).toEqual([])
})

test('functions/ imports shared/ and itself', () => {
  expect(functions.filter(({ target }) => /^(onprem|stacks|test)\//.test(target)).map(show)).toEqual([])
})

for (const half of ['shared', 'onprem', 'functions'] as const) {
  test(`the parts of ${half}/ import each other only as the table allows`, () => {
    const isAllowed = ({ file, target }: Import) => {
      const [from, to] = [partOf(file), partOf(target)]
      if (half === 'shared' && foundation.includes(to) && !foundation.includes(from)) return true
      return listOf(half, from).includes(to)
    }
    expect(
      betweenParts(half)
        .filter((each) => !isAllowed(each))
        .map(show),
    ).toEqual([])
  })

  test(`the table of ${half}/ allows nothing that no file needs`, () => {
    const used = new Set(betweenParts(half).map(({ file, target }) => `${partOf(file)} ${partOf(target)}`))
    const unused = Object.keys(allowed[half]).flatMap((from) => listOf(half, from).map((to) => `${from} ${to}`))
    expect(unused.filter((pair) => !used.has(pair))).toEqual([])
  })
}

test('no folder imports itself through others, not even with types, threads or late imports', () => {
  const graph = new Map<string, Set<string>>()
  for (const { file, target } of all) {
    const [from, to] = [folderOf(file), folderOf(target)]
    if (from === to || !/^(shared|onprem|functions|stacks)\//.test(target)) continue
    graph.set(from, (graph.get(from) ?? new Set()).add(to))
  }
  expect(graph.size).toBeGreaterThan(50)
  expect(circlesIn(graph)).toEqual([])
})

test('the check finds circles', () => {
  const graph = new Map([
    ['a', new Set(['b'])],
    ['b', new Set(['c', 'd'])],
    ['c', new Set(['a'])],
  ])
  expect(circlesIn(graph)).toEqual(['a > b > c > a'])
})

test('only the files that connect ports and adapters import all parts of a half', () => {
  const wrong = all.filter(({ file, target }) => knowsAllParts[target]?.test(file) === false)
  expect(wrong.map(show)).toEqual([])
})

test('only shared/store/load-lance.ts loads LanceDB; other files import its types', () => {
  const loading = all.filter(({ target, typeOnly }) => target.startsWith('@lancedb/') && !typeOnly)
  expect(loading.map(({ file }) => file)).toEqual(['shared/store/load-lance.ts'])
})

test('a server starts without parsers, LanceDB and the MCP package, which load on first use', () => {
  const loaded = new Set(['onprem/main.ts'])
  for (const file of loaded) {
    const imports = [...onprem, ...shared].filter((each) => each.file === file && !each.typeOnly && !each.late)
    for (const { target } of imports) loaded.add(target)
  }
  expect(loaded).toContain('hono')
  expect([...loaded].filter((target) => onFirstUse.test(target))).toEqual([])
})

test('the core reads no environment variable but those that LanceDB needs', () => {
  const files = [...new Set(shared.map(({ file }) => file))]
  const reading = files.filter((file) => readFileSync(join(root, file), 'utf8').includes('process.env'))
  expect(reading).toEqual(['shared/store/load-lance.ts'])
})

/** Each circle that a search meets, as a path from a node back to it. */
function circlesIn(graph: Map<string, Set<string>>): string[] {
  const circles: string[] = []
  const done = new Set<string>()
  const visit = (node: string, path: string[]) => {
    const at = path.indexOf(node)
    if (at >= 0) circles.push([...path.slice(at), node].join(' > '))
    if (at >= 0 || done.has(node)) return
    for (const next of graph.get(node) ?? []) visit(next, [...path, node])
    done.add(node)
  }
  for (const node of graph.keys()) visit(node, [])
  return circles
}
