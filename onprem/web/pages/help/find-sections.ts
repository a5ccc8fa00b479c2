import { wordsOf } from '../../../../shared/web/search/marked-text.tsx'

export type DocumentSection = { name: string; heading: string; text: string }

const maxSections = 30

/** The sections that have every word, those with the words in their heading first. */
export function findSections(documents: readonly { name: string; markdown: string }[], search: string): DocumentSection[] {
  const words = wordsOf(search)
  const hasAll = (text: string) => words.every((word) => text.toLowerCase().includes(word))
  const sections = documents.flatMap(sectionsOf).filter(({ heading, text }) => hasAll(`${heading}\n${text}`))
  const inHeading = sections.filter(({ heading }) => hasAll(heading))
  return [...inHeading, ...sections.filter((section) => !inHeading.includes(section))].slice(0, maxSections)
}

const sectionsOf = ({ name, markdown }: { name: string; markdown: string }): DocumentSection[] =>
  markdown.split(/^(?=#{1,4} )/m).map((part) => {
    const [first = '', ...rest] = part.split('\n')
    return { name, heading: first.replace(/^#+ /, ''), text: rest.join(' ').trim() }
  })
