import { readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { expect, test } from 'vitest'

const root = new URL('../..', import.meta.url).pathname

const listFiles = (folder: string) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.d.ts'))
    .map((name) => join(folder, name))
const read = (file: string) => readFileSync(join(root, file), 'utf8')

const product = ['shared', 'onprem', 'functions', 'stacks'].flatMap(listFiles)

/** Files whose name is not that of an export, by the reason. */
const exceptionsByReason: Record<string, string[]> = {
  'The entry of a thread or a process: it exports only the types of its messages.': [
    'shared/ai/local/isolated-model-process.ts',
    'shared/ai/local/model-worker.ts',
    'shared/bundle/analyse-worker.ts',
    'shared/bundle/page-worker.ts',
    'shared/reading/discover/list-files-worker.ts',
    'shared/reading/isolated-reader-process.ts',
    'shared/reading/reader-worker.ts',
  ],
  'A family of small functions on one subject, which the file names.': [
    'functions/access/visibility.ts',
    'functions/catalog/catalog-changes.ts',
    'functions/dynamo/counters/checkpoint.ts',
    'onprem/cloud/read-hosted.ts',
    'onprem/actions/manage-keys.ts',
    'onprem/store/interruptions.ts',
    'onprem/actions/manage-users.ts',
    'shared/cli/print.ts',
    'shared/network/metadata-address.ts',
    'shared/reading/page/compose-blocks.ts',
    'shared/reading/rst/rst-lists.ts',
    'shared/reading/rst/rst-tables.ts',
    'shared/reading/spare-worker.ts',
    'shared/search/render-context.ts',
    'shared/store/lance-rows.ts',
    'shared/store/lance-search.ts',
    'shared/usage/hyperloglog.ts',
  ],
  'The checks of `carrel doctor` on one subject.': [
    'onprem/cli/doctor/check-folders.ts',
    'onprem/cli/doctor/check-network.ts',
    'onprem/cli/doctor/check-programs.ts',
  ],
  'Routes that both halves have, with the access rules of an install.': [
    'onprem/routes/add-library.ts',
    'onprem/routes/policies.ts',
  ],
  'Named after the path of its route; its export is shorter.': ['onprem/routes/import-libraries.ts'],
  'A table of what each provider offers, and lookups in it.': ['shared/ai/models.ts'],
  'AppError, with the codes and the translation that belong to it.': ['shared/errors.ts'],
  'The two kinds of entries of a zip.': ['functions/bundles/zip-entries.ts'],
  'A composition root for several functions, each with its ports.': [
    'functions/aws/base-ports.ts',
    'functions/aws/stage-ports.ts',
  ],
  'Resources of a stage that belong together; other files link to some of them.': [
    'stacks/alarms.ts',
    'stacks/grants.ts',
    'stacks/secrets.ts',
    'stacks/stage.ts',
    'stacks/storage.ts',
  ],
}
const exceptions = new Set(Object.values(exceptionsByReason).flat())

const exported = /^export (?:declare )?(?:async )?(?:const|function\*?|type|class|interface|let)\s+(\w+)/gm
const exportsOf = (file: string) => [...read(file).matchAll(exported)].map(([, name = '']) => name)

/** Verbs that may come before the name of a file: `createServer` of `server.ts`. */
const verbs = ['add', 'check', 'create', 'is', 'load', 'make', 'open', 'read', 'with', 'write']

/** The name without case, hyphens and plurals: `jobRoutes` of `routes/jobs.ts`. */
const plain = (name: string) =>
  name
    .replaceAll(/([a-z\d])([A-Z])/g, '$1-$2')
    .toLowerCase()
    .split('-')
    .map((word) => word.replace(/ies$/, 'y').replace(/s$/, ''))
    .join('')

/** The name of a file, alone, after a verb, or with that of its folder before or after it. */
function ownNames(file: string): string[] {
  const [name, folder] = [plain(basename(file, '.ts')), plain(basename(dirname(file)))]
  const command = folder === 'cli' ? [`add${name}command`] : []
  const routes = folder === 'api' ? [plain(`${basename(file, '.ts')}-routes`)] : []
  const entry = folder === 'entries' ? ['handler'] : []
  return [name, folder + name, name + folder, ...verbs.map((verb) => plain(verb) + name), ...command, ...routes, ...entry]
}

function hasOwnName(file: string): boolean {
  const names = exportsOf(file).map(plain)
  return names.length === 0 || ownNames(file).some((name) => names.includes(name))
}

test('a file exports something of its own name', () => {
  const nameless = product.filter((file) => !hasOwnName(file) && !exceptions.has(file))
  expect(nameless.map((file) => `${file}: ${exportsOf(file).join(', ')}`)).toEqual([])
})

test('an exception is a file that exports no name of its own', () => {
  expect([...exceptions].filter((file) => !product.includes(file) || hasOwnName(file))).toEqual([])
})

test('an upper limit is called max, never most or longest', () => {
  const files = [...product, ...listFiles('test')].filter((file) => file !== 'test/shared/names.test.ts')
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
