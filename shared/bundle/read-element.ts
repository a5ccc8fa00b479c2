import type { Skipped } from '../reading/discover/skipped.ts'
import { visible, visibleText } from '../text/visible-text.ts'
import { BundleHead, type bundleLimits } from './bundle-element.ts'
import type { BundleSnippet } from './bundle-snippet.ts'
import { elementNotes } from './element-notes.ts'
import { repaired } from './repaired.ts'
import { snippetFields, snippetSchemas } from './snippet-fields.ts'

export const snippetLists = ['codeSnippets', 'infoSnippets'] as const
export type SnippetList = (typeof snippetLists)[number]
export const isSnippetList = (key: string): key is SnippetList => key === 'codeSnippets' || key === 'infoSnippets'

/** The end of an element; its head has the number of its snippets. `notes` list omissions and changes. */
export type ElementEnd =
  | { kind: 'end'; head: BundleHead; notes: Skipped[] }
  | { kind: 'refused'; project: string; reason: string }

/** Receives the parts of one element, in any order. */
export type ElementReader = {
  /** Starts a list, which may be empty. */
  list(name: SnippetList): void
  field(name: string, value: unknown): void
  /** A field that is not read. */
  unknown(name: string): void
  /** Returns undefined if the snippet is empty or cannot be read, or if the element is rejected already. */
  snippet(list: SnippetList, value: unknown): BundleSnippet | undefined
  /** Keeps the first reason. */
  reject(reason: string): void
  /** Rejects the element if it is too large. */
  measure(sizeBytes: number): void
  end(sizeBytes: number): ElementEnd
}

type ElementLimits = Pick<typeof bundleLimits, 'elementBytes' | 'elementSnippets'>

const maxNameCharacters = 500

/** `place` names an element without an id. */
export function readElement(place: string, { elementBytes, elementSnippets }: ElementLimits): ElementReader {
  const head: Record<string, unknown> = {}
  const lists = new Set<SnippetList>()
  const counts = { codeSnippets: 0, infoSnippets: 0 }
  const notes = elementNotes()
  let kept = 0
  let rejected: string | undefined
  const total = () => counts.codeSnippets + counts.infoSnippets
  const reject = (reason: string) => {
    rejected ??= reason
  }
  const measure = (sizeBytes: number) => {
    if (total() <= elementSnippets && sizeBytes <= elementBytes) return
    reject(`library_too_large: at most ${elementSnippets} snippets and ${elementBytes} bytes of one library can be imported.`)
  }
  const readHead = () => {
    if (!isTruth(head.private)) {
      head.private = true
      notes.changed('private', 'must be true or false; the library is private')
    }
    const read = repaired(BundleHead, head, ([field]) => field === 'project')
    if ('reason' in read) reject(`${read.reason}.`)
    else for (const { field, what } of read.repairs) notes.changed(field, what)
    return 'reason' in read ? undefined : read.data
  }
  return {
    list: (name) => void lists.add(name),
    field(name, value) {
      // An id that holds hidden characters is rejected as it is: without them it may be the id of another library.
      if (value !== null) head[name] = name === 'project' ? value : visible(value)
    },
    unknown: notes.unknown,
    snippet(list, value) {
      const number = counts[list]++
      measure(0)
      if (rejected !== undefined) return undefined
      const fields = snippetFields(list, value, notes)
      const read = fields ? repaired(snippetSchemas[list], fields, isContent) : { reason: 'must be a JSON object' }
      if ('reason' in read) {
        notes.unreadable(`${list}[${number}]`, read.reason)
        return undefined
      }
      const repairs = new Map(read.repairs.map((each) => [`${each.field} ${each.what}`, each]))
      for (const { field, what } of repairs.values()) notes.changed(`${list}[].${field}`, what)
      if (isEmpty(read.data)) {
        notes.empty(list)
        return undefined
      }
      kept += 1
      return read.data
    },
    reject,
    measure,
    end(sizeBytes) {
      measure(sizeBytes)
      const data = readHead()
      if (lists.size === 0) reject(`${snippetLists.join(' or ')} is required.`)
      const why = kept === 0 ? notes.whyNothing() : undefined
      if (why !== undefined) reject(why)
      if (data && rejected === undefined) return { kind: 'end', head: { ...data, totalSnippets: kept }, notes: notes.lines() }
      const name = typeof head.project === 'string' ? visibleText(head.project.slice(0, maxNameCharacters)) : place
      return { kind: 'refused', project: name, reason: rejected ?? 'It is malformed.' }
    },
  }
}

/** A snippet without these fields is not the one that was exported. The language of code is only shown. */
const isContent = ([field, , part]: PropertyKey[]): boolean =>
  field === undefined || field === 'content' || (field === 'codeList' && part !== 'language')

const isTruth = (value: unknown): boolean => value === undefined || /^(?:true|false|0|1)$/i.test(String(value))

function isEmpty(snippet: BundleSnippet): boolean {
  if (!isBlank(snippet.content ?? '')) return false
  return !('codeList' in snippet) || (isBlank(snippet.description) && snippet.codeList.every(({ code }) => isBlank(code)))
}

const isBlank = (text: string): boolean => text.trim() === ''
