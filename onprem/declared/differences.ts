import type { JobRequest } from '../../shared/indexing/index-job.ts'
import type { SourceSettings } from '../../shared/indexing/indexing-catalog.ts'
import { versionName, versionNamed } from '../../shared/library.ts'
import { shortened } from '../../shared/text/excerpt.ts'
import type { NamedRequest } from '../actions/read-parse-request.ts'

/** The request of a job, without what its caller adds. */
export type WantedRequest = NamedRequest & Pick<JobRequest, 'source'>

const plainFields = ['excludeFolders', 'excludeFiles', 'languages'] as const
/** A file declares them for repositories only. */
const gitFields = ['tagRule', 'schedule'] as const
/** Off if they are absent. */
const switches = ['generateDocs', 'apiReference'] as const
const maxShownChars = 80

/** The differences between a declared library and its stored settings, as texts such as `branch: main → next`. */
export function differences(wanted: WantedRequest, stored: SourceSettings): string[] {
  const differing: string[] = []
  if (sourceText(wanted.source) !== sourceText(stored.source)) differing.push('source')
  const note = (field: string, from: unknown, to: unknown) => differing.push(`${field}: ${text(from)} → ${text(to)}`)
  if (wanted.tree === undefined) {
    if (!isSameRef(wanted.branch, stored.branch)) note('branch', stored.branch, wanted.branch)
    if (!isEqual(wanted.folders, stored.folders)) note('folders', stored.folders, wanted.folders)
  } else if (wanted.tree !== treeOf(stored)) note('branch and folder', treeOf(stored), wanted.tree)
  const fields = wanted.source === undefined ? [...plainFields, ...gitFields] : plainFields
  for (const field of fields) if (!isEqual(wanted[field], stored[field])) note(field, stored[field], wanted[field])
  for (const field of switches)
    if ((wanted[field] ?? false) !== (stored[field] ?? false)) note(field, stored[field] ?? false, wanted[field] ?? false)
  const [before, after] = [stored.versions ?? [], wanted.versions ?? []]
  if (!before.every((name) => wantsVersion(after, name)) || !after.every((name) => wantsVersion(before, name)))
    note('versions', before, after)
  return differing
}

/** True if a version is one of the declared tags and branches: `1.0.0` is also `v1.0.0`. */
export const wantsVersion = (declared: readonly string[], version: string): boolean =>
  versionNamed(version, new Set(declared.map(versionName))) !== undefined

/** The host may spell a tag that was declared without its `v` otherwise. */
const isSameRef = (wanted: string | undefined, stored: string | undefined): boolean =>
  wanted === stored || (wanted !== undefined && stored !== undefined && wantsVersion([wanted], stored))

const treeOf = ({ tree, branch, folders = [] }: SourceSettings): string => tree ?? [branch, ...folders].join('/')

/** Equal for the same fields in any order. */
const sourceText = (source: WantedRequest['source']): string =>
  JSON.stringify(
    Object.entries(source ?? {})
      .filter(([, value]) => value !== undefined)
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  )

const isEqual = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b)

const text = (value: unknown): string => {
  if (value === undefined) return 'default'
  if (Array.isArray(value)) return shortened(value.length === 0 ? 'none' : value.join(', '), maxShownChars)
  return shortened(typeof value === 'object' ? JSON.stringify(value) : String(value), maxShownChars)
}
