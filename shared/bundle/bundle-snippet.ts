import { shortHeading } from '../reading/chunk.ts'
import type { StoredSnippet } from '../search/rows/snippet-store.ts'
import {
  type CodeEntry,
  isCode,
  optionalFields,
  pageTitleOf,
  proseOf,
  type Snippet,
  shortCode,
  snippetHash,
  titleOf,
} from '../snippet.ts'
import { countTokens } from '../text/count-tokens.ts'
import { fence } from '../text/fence.ts'
import { pageTopics } from '../text/page-topics.ts'
import type { BundleCodeSnippet, BundleInfoSnippet } from './bundle-element.ts'

export type BundleSnippet = BundleCodeSnippet | BundleInfoSnippet

const joint = ' > '

/** Converts a stored snippet for a bundle; `order` is its position in the library, `version` the tag or branch. The importer analyses terms again. */
export function bundleSnippet(row: StoredSnippet, order: number, version = ''): BundleSnippet {
  const shared = {
    tokens: row.tokens,
    pageTitle: pageTitleOf(row),
    topic: row.topic,
    breadcrumb: row.breadcrumb.join(joint),
    ...(isAmbiguous(row.breadcrumb) && { headings: row.breadcrumb }),
    url: row.url,
    path: row.path,
    page: row.page,
    section: row.section,
    order,
    content: row.content,
    ...optionalFields(row),
    ...(version !== '' && { version }),
  }
  if (!isCode(row)) return { id: row.url, title: titleOf(row), ...shared }
  const language = row.code[0]?.language ?? ''
  return { id: row.url, title: titleOf(row), description: proseOf(row), language, codeList: row.code, ...shared }
}

/**
 * Converts a snippet of a bundle into one to store. Computes tokens and hash instead of trusting the bundle, and derives fields that bundles of
 * other products lack. `id` is unique in a library whose snippets have `order`.
 */
export function snippetFrom(from: BundleSnippet): Snippet {
  const code = 'codeList' in from ? shortCode(from.codeList) : []
  const content = from.content ?? contentOf((from as BundleCodeSnippet).description, code)
  const breadcrumb = breadcrumbOf(from).map(shortHeading)
  return {
    id: from.order === undefined ? from.id : String(from.order),
    breadcrumb,
    content,
    code,
    path: from.path ?? '',
    url: from.url ?? from.id,
    topic: shortHeading(from.topic ?? pageTopics(breadcrumb).at(-1) ?? ''),
    tokens: countTokens(content),
    hash: snippetHash({ breadcrumb, content }),
    ...optionalFields(from),
  }
}

/** True if the headings between the page title and the title are ambiguous in a breadcrumb. */
function isAmbiguous(breadcrumb: string[]): boolean {
  const between = breadcrumb.slice(1, -1)
  return (
    between.length > 0 &&
    between
      .join(joint)
      .split(joint)
      .some((each, i) => each !== between[i])
  )
}

/** Splits a breadcrumb. A title may contain the separator, so the known first and last parts are removed first. */
function breadcrumbOf({ title, pageTitle, breadcrumb, headings }: BundleSnippet): string[] {
  if (headings) return headings
  if (breadcrumb === undefined) return [pageTitle, title].filter((part) => part !== undefined && part !== '') as string[]
  if (breadcrumb === '') return []
  if (pageTitle === undefined) return breadcrumb.split(joint)
  if (breadcrumb === title && breadcrumb === pageTitle) return [title]
  if (breadcrumb === `${pageTitle}${joint}${title}`) return [pageTitle, title]
  const [start, end] = [`${pageTitle}${joint}`, `${joint}${title}`]
  const isFramed = breadcrumb.startsWith(start) && breadcrumb.endsWith(end) && breadcrumb.length >= start.length + end.length
  if (!isFramed) return breadcrumb.split(joint)
  return [pageTitle, ...breadcrumb.slice(start.length, -end.length).split(joint), title]
}

const contentOf = (description: string, code: CodeEntry[]): string =>
  [description, ...code.map((each) => fence(each.code, each.language))].filter((part) => part !== '').join('\n\n')
