import type { z } from 'zod'
import { describeIssue } from '../schemas/describe-issue.ts'
import { visible, visibleText } from '../text/visible-text.ts'
import { BundleCodeSnippet, BundleHead, BundleInfoSnippet, type bundleLimits } from './bundle-element.ts'
import type { BundleSnippet } from './bundle-snippet.ts'

export const snippetLists = ['codeSnippets', 'infoSnippets'] as const
export type SnippetList = (typeof snippetLists)[number]
export const isSnippetList = (key: string): key is SnippetList => key === 'codeSnippets' || key === 'infoSnippets'

/** The end of an element; its head has the number of its snippets. */
export type ElementEnd = { kind: 'end'; head: BundleHead } | { kind: 'refused'; project: string; reason: string }

/** Receives the parts of one element, in any order. */
export type ElementReader = {
  /** Starts a list, which may be empty. */
  list(name: SnippetList): void
  field(name: string, value: unknown): void
  /** Undefined if the snippet, or one before it, is invalid. */
  snippet(list: SnippetList, value: unknown): BundleSnippet | undefined
  /** Keeps the first reason. */
  reject(reason: string): void
  /** Rejects the element if it is too large. */
  measure(sizeBytes: number): void
  end(sizeBytes: number): ElementEnd
}

type ElementLimits = Pick<typeof bundleLimits, 'elementBytes' | 'elementSnippets'>

const schemas = { codeSnippets: BundleCodeSnippet, infoSnippets: BundleInfoSnippet }
const maxNameCharacters = 500

/** `place` names an element without a project. */
export function readElement(place: string, { elementBytes, elementSnippets }: ElementLimits): ElementReader {
  const head: Record<string, unknown> = {}
  const lists = new Set<SnippetList>()
  const counts = { codeSnippets: 0, infoSnippets: 0 }
  let rejected: string | undefined
  const total = () => counts.codeSnippets + counts.infoSnippets
  const reject = (reason: string) => {
    rejected ??= reason
  }
  const measure = (sizeBytes: number) => {
    if (total() <= elementSnippets && sizeBytes <= elementBytes) return
    reject(`library_too_large: at most ${elementSnippets} snippets and ${elementBytes} bytes of one library can be imported.`)
  }
  return {
    list: (name) => void lists.add(name),
    field(name, value) {
      // An id that holds hidden characters is rejected as it is: without them it may be the id of another library.
      if (value !== null) head[name] = name === 'project' ? value : visible(value)
    },
    snippet(list, value) {
      const number = counts[list]++
      measure(0)
      if (rejected !== undefined) return undefined
      const read = schemas[list].safeParse(visible(withoutNulls(value)), { error: describeIssue })
      if (!read.success) reject(sentence(`${list}[${number}]`, read.error))
      return read.data
    },
    reject,
    measure,
    end(sizeBytes) {
      measure(sizeBytes)
      const read = BundleHead.safeParse(head, { error: describeIssue })
      if (!read.success) reject(sentence('', read.error))
      for (const list of snippetLists) if (!lists.has(list)) reject(`${list} is required.`)
      if (read.success && rejected === undefined) return { kind: 'end', head: { ...read.data, totalSnippets: total() } }
      const project = typeof head.project === 'string' ? visibleText(head.project.slice(0, maxNameCharacters)) : place
      return { kind: 'refused', project, reason: rejected ?? 'It is malformed.' }
    },
  }
}

/** Bundles of other products use null for absent fields. */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls)
  if (typeof value !== 'object' || value === null) return value
  const present = Object.entries(value).filter(([, each]) => each !== null)
  return Object.fromEntries(present.map(([name, each]) => [name, withoutNulls(each)]))
}

function sentence(at: string, { issues }: z.ZodError): string {
  const { path = [], message } = issues[0] ?? { message: 'is malformed' }
  const name = path.reduce<string>(
    (text, part) => (typeof part === 'number' ? `${text}[${part}]` : text === '' ? String(part) : `${text}.${String(part)}`),
    at,
  )
  return `${name} ${message.replace(/\.$/, '')}.`
}
