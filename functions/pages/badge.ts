import { makeBadge } from 'badge-maker'
import { countOf } from '../../shared/text/figures.ts'
import { oneLine } from '../../shared/text/one-line.ts'
import { visibleText } from '../../shared/text/visible-text.ts'

const maxNameChars = 40
/** Visible characters that XML 1.0 cannot contain. */
const notXml = /[\p{Cs}\uFFFE\uFFFF]/gu

/** The badge of a library: its name and its size. */
export const libraryBadge = ({ title, totalSnippets }: { title: string; totalSnippets: number }): string =>
  makeBadge({ label: `${shownName(title)} docs`, message: countOf(totalSnippets, 'snippet'), color: '#3f51c7' })

/** The badge of a library that is not here. */
export const missingBadge = (): string => makeBadge({ label: 'docs', message: 'not found', color: '#6b7280' })

/** Isolated, so that a name that is written from right to left leaves the word after it where it is. */
function shownName(title: string): string {
  const letters = [...oneLine(visibleText(title)).replace(notXml, '')]
  const name = letters.length > maxNameChars ? `${letters.slice(0, maxNameChars).join('')}…` : letters.join('')
  return `\u2068${name}\u2069`
}
