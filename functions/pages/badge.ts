import { makeBadge } from 'badge-maker'
import { countOf } from '../../shared/text/figures.ts'
import { oneLine } from '../../shared/text/one-line.ts'
import { visibleText } from '../../shared/text/visible-text.ts'

const maxNameChars = 40
/** Visible characters that XML 1.0 cannot contain. */
const notXml = /[\p{Cs}\uFFFE\uFFFF]/gu

/** Letters whose widths badge-maker knows. */
const latin = /^[\p{scx=Latin}\p{scx=Common}]*$/u
const emoji = /\p{Extended_Pictographic}/u

/** The badge of a library: its name and its size. */
export function libraryBadge({ title, totalSnippets }: { title: string; totalSnippets: number }): string {
  const name = shownName(title)
  const badge = makeBadge({
    // Isolated, so that a name that is written from right to left leaves the word after it where it is.
    label: `\u2068${name}\u2069 docs`,
    message: countOf(totalSnippets, 'snippet'),
    color: '#3f51c7',
  })
  // A wrong width would pull the letters of a word apart.
  return latin.test(name) && !emoji.test(name) ? badge : badge.replace(/ textLength="\d+"/g, '')
}

/** The badge of a library that is not here. */
export const missingBadge = (): string => makeBadge({ label: 'docs', message: 'not found', color: '#6b7280' })

function shownName(title: string): string {
  const letters = [...oneLine(visibleText(title)).replace(notXml, '')]
  return letters.length > maxNameChars ? `${letters.slice(0, maxNameChars).join('')}…` : letters.join('')
}
