import { z } from 'zod'
import { ParseRequest } from '../../shared/indexing/index-job.ts'
import { type SecretName, type SettingName, Settings, secretNames, settingNames } from '../../shared/settings/settings.ts'
import { OtherSource } from '../../shared/sources/other-source.ts'
import { NamedSecret } from '../store/declared/named-secrets.ts'
import { declarableSettings } from './declarable-settings.ts'

const { repoUrl, force: _, optionalVersions: __, ...settings } = ParseRequest.shape
const { branch, excludeFiles, generateDocs } = settings

const indexSourceCode = z.boolean().optional().describe('Another name of generateDocs')
const excludePatterns = excludeFiles.describe('Paths of pages that are not read, such as /blog/*')
const address = { url: repoUrl.optional(), repoUrl: repoUrl.optional().describe('Another name of url') }

/** A library as a file declares it. An absent field has its default, also if it had another value before. */
const GitEntry = z.strictObject({
  type: z.literal('git').optional(),
  ...address,
  ...settings,
  tagRule: settings.tagRule.describe('Which tags become versions without being named; if absent, none'),
  schedule: settings.schedule.describe('When the library is compared with its repository; if absent, the default'),
  indexSourceCode,
})
type GitEntry = z.infer<typeof GitEntry>
/** Uploaded files are not in a file that declares an install. */
type DeclaredKind = Exclude<OtherSource['kind'], 'files' | 'openapi-upload'>
const isDeclared = (kind: OtherSource['kind']): kind is DeclaredKind => kind !== 'files' && kind !== 'openapi-upload'
type OtherEntry = { type: DeclaredKind; url?: string; repoUrl?: string }
export type Entry = GitEntry | OtherEntry

/** The schema of an entry by its type: git, or another kind of source with the fields of that. */
export const entrySchemas: ReadonlyMap<string, z.ZodType<Entry>> = new Map<string, z.ZodType<Entry>>([
  ['git', GitEntry],
  ...OtherSource.options.flatMap(({ shape }): [string, z.ZodType<Entry>][] => {
    const { kind, url, ...fields } = shape
    if (!isDeclared(kind.value)) return []
    const own = { type: z.literal(kind.value), url: url.optional(), repoUrl: url.optional().describe('Another name of url') }
    const others = Object.entries(fields).map(([name, field]): [string, z.ZodType] => [
      name,
      name === 'excludePatterns' ? excludePatterns : field.optional(),
    ])
    return [[kind.value, z.strictObject({ ...Object.fromEntries(others), ...own })]]
  }),
])

/** The values of fields that an entry may omit. */
const defaultsByKind: Record<DeclaredKind, object> = {
  openapi: {},
  website: { maxPages: 100, maxDepth: 3, excludePatterns: [] },
  llmstxt: { maxPages: 100 },
  confluence: { includeSubPages: true },
}

const Defaults = z
  .strictObject({ branch, generateDocs, indexSourceCode })
  .describe('Values of the git repositories that do not have their own')
export type Defaults = z.infer<typeof Defaults>

const entries = z.array(z.record(z.string(), z.unknown()), 'must be a list').max(2_000).optional()

export const SecretReference = z.strictObject({ secret: NamedSecret.describe('Its name, from "carrel secrets set NAME -"') })

/** The file that declares libraries and settings of an install. Entries have schemas of their own; settings are checked with the install. */
export const ManifestFile = z.strictObject({
  defaults: Defaults.optional(),
  libraries: entries,
  repos: entries.describe('Another name of libraries'),
  settings: z.record(z.string(), z.unknown()).optional().describe('Settings by name; null restores the default'),
})

const isGit = (entry: Entry): entry is GitEntry => entry.type === undefined || entry.type === 'git'

/** The source that an entry asks to be read: a repository, with the defaults of its file, or another source. */
export function requestOf(entry: Entry, defaults: Defaults = {}): ParseRequest | OtherSource {
  const url = entry.url ?? entry.repoUrl ?? ''
  if (!isGit(entry)) {
    const { type: kind, repoUrl: _, ...fields } = entry
    return OtherSource.parse({ ...defaultsByKind[kind], ...fields, kind, url })
  }
  const { type: _, url: __, repoUrl: ___, indexSourceCode: ____, ...own } = entry
  const generates = (source: Defaults) => source.generateDocs ?? source.indexSourceCode
  return {
    ...own,
    repoUrl: url,
    branch: own.branch ?? defaults.branch,
    generateDocs: generates(entry) ?? generates(defaults),
    force: false,
  }
}

const options = { io: 'input', unrepresentable: 'any', reused: 'inline' } as const

/** The JSON Schema of the file, with every setting that an admin may declare. */
export function manifestSchema(): Record<string, unknown> {
  const declarable = (name: SettingName | SecretName) => declarableSettings[name] !== 'none'
  const settings = settingNames
    .filter(declarable)
    .map((name) => [name, { anyOf: [schemaOf(Settings.shape[name]), { type: 'null' }] }])
  const secrets = secretNames.filter(declarable).map((name) => [name, schemaOf(SecretReference)])
  const libraries = { type: 'array', items: { anyOf: [...entrySchemas.values()].map(schemaOf) } }
  const { repos, settings: named } = ManifestFile.shape
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'carrel.yaml',
    type: 'object',
    properties: {
      defaults: schemaOf(Defaults),
      libraries,
      repos: { ...libraries, description: repos.description },
      settings: {
        type: 'object',
        description: named.description,
        properties: Object.fromEntries([...settings, ...secrets]),
        additionalProperties: false,
      },
    },
    additionalProperties: false,
  }
}

function schemaOf(schema: z.ZodType): Record<string, unknown> {
  const { $schema: _, ...own } = z.toJSONSchema(schema, options)
  return own
}
