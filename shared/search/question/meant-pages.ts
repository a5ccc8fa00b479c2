import type { StoredPage } from '../rows/snippet-store.ts'
import { stem, tokens } from '../words/analyse.ts'
import { functionWords } from '../words/function-words.ts'

/** A question about the documentation as a whole, such as `getting started`, `overview` or `changelog`. */
type Intent = { words: Set<string>; names: string[] }

const intents: Intent[] = [
  {
    words: new Set(stemmed('getting get started start quick quickstart begin beginner first steps tutorial setup set up')),
    names: [
      'gettingstarted',
      'quickstart',
      'getstarted',
      'quickstartguide',
      'firststeps',
      'quicktour',
      'tutorial',
      'start',
      'introduction',
      'intro',
      'overview',
      'installation',
    ],
  },
  {
    words: new Set(stemmed('introduction intro overview summary purpose readme general')),
    names: ['introduction', 'intro', 'overview', 'about', 'welcome', 'home', 'whatis', 'gettingstarted', 'quickstart'],
  },
  {
    words: new Set(stemmed('changelog changes change log release releases notes history news new')),
    names: ['changelog', 'changes', 'releasenotes', 'history', 'whatsnew', 'news', 'releases'],
  },
]
/** Words that add nothing to such a question. */
const fillers = new Set(
  stemmed('guide documentation docs doc library framework package project page pages section tool what whats latest list'),
)
const frontPages = new Set(['index', 'readme', 'home'])
const firstPages = new Set([...frontPages, 'overview', 'introduction', 'intro'])
/** What a front page costs more than one of the best name. */
const frontPageCost = 3
const maxWords = 8
const maxPages = 3

/**
 * The pages that a question about the whole documentation means, the best first, at most three: by file, folder and title, near the root. Empty for a
 * question about anything else. `names` are the names of the library.
 */
export function meantPages(question: string, names: string[], pages: StoredPage[]): StoredPage[] {
  const intent = intentOf(question, names)
  if (intent === undefined) return []
  const asked = plainName(question)
  const found = pages.flatMap((page) => {
    const cost = costOf(page, intent, asked)
    return cost === undefined ? [] : [{ page, cost }]
  })
  return found
    .sort((a, b) => a.cost - b.cost || a.page.page - b.page.page)
    .slice(0, maxPages)
    .map(({ page }) => page)
}

/** False if no page can be meant, so that the pages need not be read. */
export const mayMeanPages = (question: string, names: string[]): boolean => intentOf(question, names) !== undefined

function intentOf(question: string, names: string[]): Intent | undefined {
  const own = new Set(names.flatMap((name) => [...tokens(name)].flatMap(({ terms }) => terms)))
  const words = [...tokens(question.replace(/['’]s\b/g, ''))].flatMap((token) => token.words)
  if (words.length === 0 || words.length > maxWords) return undefined
  const isAbout = /\bwhat (?:is|are|does)\b/i.test(question)
  const told = words.filter((word) => !functionWords.has(word) || intents.some((intent) => intent.words.has(stem(word))))
  const rest = told.map(stem).filter((word) => !own.has(word) && !fillers.has(word))
  if (rest.length === 0) return isAbout && told.length > 0 ? intents[1] : undefined
  return intents.find((intent) => rest.every((word) => intent.words.has(word)))
}

/** A later name costs half as much as a further folder. The front page of the root stands for an overview. */
function costOf({ path, title }: StoredPage, { names }: Intent, asked: string): number | undefined {
  const segments = path.toLowerCase().split('/')
  const file = plainName((segments.at(-1) ?? '').replace(/\.\w+$/, ''))
  const isFront = frontPages.has(file)
  const depth = isFront ? segments.length - 1 : segments.length
  const own = [file, plainName(title), ...(firstPages.has(file) ? [plainName(segments.at(-2) ?? '')] : [])]
  if (own.includes(asked)) return depth / 2
  const places = own.map((name) => names.indexOf(name)).filter((at) => at >= 0)
  if (places.length > 0) return depth + Math.min(...places) / 2
  return isFront && names.includes('overview') ? depth + frontPageCost : undefined
}

/** `01-getting-started` and `Getting Started` are `gettingstarted`. */
const plainName = (name: string): string =>
  name
    .toLowerCase()
    .replace(/^\d+[-_. ]+/, '')
    .replace(/[^a-z0-9]/g, '')

function stemmed(words: string): string[] {
  return words.split(' ').map(stem)
}
