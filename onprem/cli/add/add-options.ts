import { UsageError } from '../../../shared/cli/usage-error.ts'
import { MaxDepth, MaxPages } from '../../../shared/sources/other-source.ts'
import type { AddressKind, SourceKind } from './source-kind.ts'

export type AddOptions = {
  from?: string
  withVersions?: boolean
  kind?: AddressKind
  branch?: string
  version?: string[]
  folder?: string[]
  language?: string[]
  apiReference?: boolean
  schedule?: string
  tags?: string
  keep?: string
  private?: boolean
  name?: string
  title?: string
  description?: string
  maxPages?: string
  maxDepth?: string
  exclude?: string[]
  watch?: boolean
  force?: boolean
  wait?: boolean
}

const ofRepository = [
  'branch',
  'version',
  'folder',
  'language',
  'apiReference',
  'schedule',
  'tags',
  'keep',
  'private',
  'withVersions',
] as const
const kinds: Record<SourceKind, { words: string; options: readonly (keyof AddOptions)[] }> = {
  repository: { words: 'a repository', options: ofRepository },
  website: { words: 'a website', options: ['title', 'description', 'maxPages', 'maxDepth', 'exclude'] },
  llmstxt: { words: 'an llms.txt', options: ['title', 'description', 'maxPages'] },
  confluence: { words: 'Confluence', options: ['title', 'description'] },
  openapi: { words: 'an API description', options: ['title', 'description'] },
  files: { words: 'files', options: ['name', 'title', 'description', 'watch'] },
  'openapi-upload': { words: 'an API description', options: ['title', 'description', 'watch'] },
}
const ofEach: readonly string[] = ['from', 'kind', 'force', 'wait']
/** Options that can only be meant for one source. */
const ofOne = ['branch', 'version', 'folder', 'name', 'title', 'description', 'watch'] as const

/** Throws a usage error for options that need another one, or that several sources cannot share. */
export function rejectCombinations(sources: readonly string[], options: AddOptions): void {
  if (sources.length === 0 && options.from === undefined)
    throw new UsageError('Name a repository, an address or a folder, or a file with --from.')
  if (options.withVersions && options.from === undefined)
    throw new UsageError('--with-versions adds the versions that a file names: name the file with --from.')
  if (options.keep !== undefined && options.tags === undefined)
    throw new UsageError('--keep says how many versions a rule keeps: give its tags with --tags.')
  if (sources.length <= 1 && options.from === undefined) return
  const single = ofOne.filter((option) => options[option])
  if (single.length > 0)
    throw new UsageError(`${single.map(flagOf).join(' and ')} can only be meant for one source. Add one at a time with that.`)
}

/** Throws a usage error for an option that a source of this kind does not have. */
export function rejectForeignOptions(source: string, kind: SourceKind, options: AddOptions): void {
  const { words, options: own } = kinds[kind]
  const given = Object.keys(options) as (keyof AddOptions)[]
  const foreign = given.find((option) => !ofEach.includes(option) && !own.includes(option))
  if (foreign) throw new UsageError(`${flagOf(foreign)} does not apply to ${source}, which is added as ${words}.`)
}

/** The settings of a crawl. Throws a usage error. */
export const crawlOptions = ({ maxPages, maxDepth, exclude }: AddOptions) => ({
  maxPages: count('--max-pages', MaxPages, maxPages),
  maxDepth: count('--max-depth', MaxDepth, maxDepth),
  excludePatterns: exclude,
})

function count(option: string, schema: typeof MaxPages, text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const read = schema.safeParse(/^\d+$/.test(text) ? Number(text) : text)
  if (read.success) return read.data
  throw new UsageError(`${option} must be a number from ${schema.minValue} to ${schema.maxValue}.`)
}

const flagOf = (option: string): string => `--${option.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`
