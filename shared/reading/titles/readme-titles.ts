import { extname } from 'node:path'
import { plainDescription, plainTitle } from '../../text/plain-title.ts'
import { markdownExtensions } from '../markdown/markdown-extensions.ts'
import { namedTitle } from '../markdown/named-title.ts'
import { prepareMarkdown } from '../markdown/prepare-markdown.ts'
import { readMarkdown } from '../markdown/read-markdown.ts'
import { plainText } from '../markdown/syntax/clean-inline.ts'
import { toLines } from '../markdown/syntax/line.ts'
import type { Page, ReaderContext } from '../page/page.ts'
import { readInside } from './read-inside.ts'
import { namesIn } from './site-folders.ts'
import type { Titled } from './titled.ts'

/** Reads a file in the format of its extension. */
export type ReadPage = (text: string, context: ReaderContext) => Promise<Page>

/** Title and description stand at the top of a README. */
const maxChars = 16_000
/** A longer heading is a sentence, not a name. */
const maxTitleLength = 60
const maxDescriptionLength = 200
const formats = [...markdownExtensions, '.mdx', '.rst', '.adoc', '.asciidoc', '.asc', '.txt']

/** The first heading of the README in the root, and the first sentence below it. Never throws: a README that cannot be read has no title. */
export async function readmeTitles(root: string, readPage: ReadPage): Promise<Titled> {
  const names = (await namesIn(root, '')).filter((name) => /^readme\.\w+$/i.test(name))
  const path = formats.flatMap((format) => names.filter((name) => extname(name).toLowerCase() === format))[0]
  const text = path === undefined ? undefined : await readInside(root, path)
  if (path === undefined || text === undefined) return {}
  const head = text.slice(0, maxChars)
  const { heading, prose } = await readTop(head, path, readPage).catch(() => nothing)
  if (funding.test(heading)) return {}
  const title = plainTitle(namedTitle(heading, prose[0] ?? ''))
  return {
    title: title !== undefined && title.length <= maxTitleLength ? title : undefined,
    description: prose.flatMap(paragraphsOf).find(isSentence),
  }
}

/** The first sentence in Markdown, if it begins with text or a heading and text. */
export const firstSentence = (markdown: string): string | undefined =>
  readMarkdownTop(markdown.slice(0, maxChars)).prose.flatMap(paragraphsOf).find(isSentence)

/** The first section of a README whose top is only a logo. */
const funding = /^(?:donations?|sponsors?|backers|funding|supporters|support us)\b/i

type Top = { heading: string; prose: string[] }
const nothing: Top = { heading: '', prose: [] }

async function readTop(text: string, path: string, readPage: ReadPage): Promise<Top> {
  if (/\.(md|markdown)$/i.test(path)) return readMarkdownTop(text)
  const { title = '', sections } = await readPage(withoutBadges(text, path), { path, readFile: () => undefined })
  return { heading: title, prose: sections[0]?.blocks.flatMap((block) => (block.kind === 'prose' ? [block.text] : [])) ?? [] }
}

/** The first heading if it is a top one, and the prose around it up to the first section. Small headings at the top are often slogans. */
function readMarkdownTop(markdown: string): Top {
  const top: Top = { heading: '', prose: [] }
  for (const piece of readMarkdown(prepareMarkdown(toLines(withoutImages(markdown))))) {
    if (piece.kind === 'prose') top.prose.push(piece.text)
    if (piece.kind !== 'heading') continue
    if (piece.level > 2) top.prose.push(piece.text)
    else if (top.heading !== '' || piece.level > 1) break
    else top.heading = piece.text
  }
  return top
}

const fieldList = /^:[\w -]{1,40}:.*(?:\n[ \t]+\S.*)*$/gm

/** Removes the badges and logos of reStructuredText and AsciiDoc, rows of substitutions, and the fields of a package. */
const withoutBadges = (text: string, path: string): string =>
  (/\.(?:rst|txt)$/i.test(path) ? text.replace(fieldList, '') : text)
    .replace(/^\.\. (?:\|[^|\n]{1,80}\| )?image::.*(?:\n[ \t]+\S.*)*$/gm, '')
    .replace(/^(?:\|[\w -]{1,80}\|[ \t]*)+$/gm, '')
    .replace(/\bimage::?(?:(?!image:)[^\s[\]])*\[[^[\]\n]*\]/g, '')

const markdownImage = /!\[([^[\]]*)\](?:\([^()\n]*\)|\[[^[\]\n]*\])/g
const htmlImage = /<(?:img|source)\b[^<>]*>/gi
const frontMatter = /^\uFEFF?---\r?\n/

/** Removes images, whose texts name badges. A top heading that is only an image becomes its text. */
function withoutImages(markdown: string): string {
  return withHeading(withoutComments(withoutFrontMatter(markdown)))
    .replace(/^#[ \t].*$/gm, (line) => `# ${headingText(line.slice(1))}`)
    .replace(markdownImage, '')
    .replace(htmlImage, '')
}

function withoutFrontMatter(markdown: string): string {
  const end = frontMatter.test(markdown) ? markdown.indexOf('\n---', 4) : -1
  return end < 0 ? markdown : markdown.slice(end + 4)
}

const withoutComments = (markdown: string): string =>
  markdown
    .split('<!--')
    .map((part, index) => (index === 0 ? part : part.slice(part.indexOf('-->') + 3)))
    .join('')

/** The first `<h1>` as a Markdown heading. */
function withHeading(markdown: string): string {
  const open = /<h1\b[^<>]*>/i.exec(markdown)
  const start = open ? open.index + open[0].length : 0
  const end = markdown.toLowerCase().indexOf('</h1', start)
  if (!open || end < 0) return markdown
  const text = headingText(markdown.slice(start, end).replace(/\s/g, ' '))
  return `${markdown.slice(0, open.index)}\n\n# ${text}\n\n${markdown.slice(markdown.indexOf('>', end) + 1)}`
}

function headingText(heading: string): string {
  const text = heading.replace(markdownImage, '').replace(htmlImage, '')
  if (plainTitle(text.replace(/\]\([^()]*\)/g, '')) !== undefined) return text.trim()
  const [, alternative = ''] = /!\[([^[\]]+)\]/.exec(heading) ?? /\balt="([^"]+)"/i.exec(heading) ?? []
  return alternative.replace(/\b(?:logo|banner|icon|image)\b/gi, '').trim()
}

/** The reader has replaced links by their text. */
const noLinks = { references: new Set<string>(), jsx: false }

/** Paragraphs and quotes as plain lines; lists and alerts are omitted. */
function paragraphsOf(prose: string): string[] {
  return prose.split(/\n\s*\n/).flatMap((paragraph) => {
    const text = paragraph.replace(/^>[ \t]?/gm, '').trim()
    if (/^(?:[-*+|#] |\d+[.)] |:::|\*\*(?:note|tip|important|warning|caution)\*\*)/i.test(text)) return []
    return plainDescription(plainText(text, noLinks), maxDescriptionLength) ?? []
  })
}

/** Addresses, rows of links and calls such as `English | Deutsch` or `Website · Issues` describe nothing. */
const isSentence = (text: string): boolean =>
  !/\s[|·•]\s|:$/.test(text) &&
  ((text.replace(/\bhttps?:\/\/\S+/g, '').match(/\p{L}+/gu)?.length ?? 0) >= 3 || /\p{scx=Han}{6}/u.test(text))
