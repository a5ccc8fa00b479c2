import { wordsOf } from '../search/marked-text.tsx'

/** `excerpt` is plain text around the first of the words. */
export type DocumentSection = { name: string; heading: string; excerpt: string }

const maxSections = 30
const excerptChars = 240
const charsBefore = 60

/** The sections that have every word, those with the words in their heading first. */
export function findSections(documents: readonly { name: string; markdown: string }[], search: string): DocumentSection[] {
  const words = wordsOf(search)
  const hasAll = (text: string) => words.every((word) => text.toLowerCase().includes(word))
  const sections = documents.flatMap(sectionsOf).filter(({ heading, text }) => hasAll(`${heading}\n${text}`))
  const inHeading = sections.filter(({ heading }) => hasAll(heading))
  const found = [...inHeading, ...sections.filter((section) => !inHeading.includes(section))].slice(0, maxSections)
  return found.map(({ name, heading, text }) => ({ name, heading, excerpt: around(text, words) }))
}

const sectionsOf = ({ name, markdown }: { name: string; markdown: string }) =>
  markdown.split(/^(?=#{1,4} )/m).map((part) => {
    const [first = '', ...rest] = part.split('\n')
    return { name, heading: plain(first.replace(/^#+ /, '')), text: plain(rest.join('\n')) }
  })

/** The text of Markdown as the documentation of this project uses it, on one line. */
const plain = (markdown: string): string =>
  markdown
    .replace(/<!--[^>]*-->/g, ' ')
    .replace(/^```.*$/gm, ' ')
    .replace(/^\|[-:| ]+\|$/gm, ' ')
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/^(?:> |[-*] |\d+\. )|\*\*|`/gm, '')
    .replace(/ ?\| ?/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()

function around(text: string, words: string[]): string {
  const found = words.map((word) => text.toLowerCase().indexOf(word)).filter((at) => at >= 0)
  const first = Math.min(...found, text.length)
  const start = first === text.length || first < charsBefore ? 0 : text.indexOf(' ', first - charsBefore) + 1
  const cut = text.slice(start, start + excerptChars)
  return `${start > 0 ? '… ' : ''}${cut}${start + excerptChars < text.length ? '…' : ''}`
}
