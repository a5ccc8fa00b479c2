import { extname } from 'node:path/posix'

const headChars = 4_000
/** A line of attributes may stand above a block, whose marks look like a rule. */
const asciidoc = /\.(?:adoc|asciidoc|asc)$/i
const withoutTitle = /\.(?:json|ya?ml|ipynb|graphqls?|gql|py|go|rs|java|ts)$/i
const frontMatter = /^\uFEFF?---\r?\n(?:[^\n]{0,400}\n){0,40}?title:[ \t]{0,9}(\S[^\n]{0,200})/
const heading = /^(?:#|=)[ \t]{1,9}(\S[^\n]{0,200})|<h1\b[^<>]{0,200}>([^<>]{1,200})/m
/** A line with a rule below it, in reStructuredText and Markdown. */
const underlined = /^(\S[^\n]{0,200})\n[=~#*-]{3,}[ \t]{0,9}$/m

/** The title of a page as its first lines show it, in lower case; empty if they show none. It is only compared with those of other pages. */
export function peekTitle(text: string, path: string): string {
  if (withoutTitle.test(path)) return ''
  const head = text.slice(0, headChars).replace(/\r\n?/g, '\n')
  const [, marked, html] = heading.exec(head) ?? []
  const [, ruled] = (!asciidoc.test(path) && underlined.exec(head)) || []
  const found = frontMatter.exec(head)?.[1] ?? (extname(path) === '.rst' ? ruled : (marked ?? html ?? ruled)) ?? ''
  return found
    .replace(/[`*_#]/g, '')
    .replace(/^(["'])(.*)\1\s*$/, '$2')
    .trim()
    .toLowerCase()
}
