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
/** A front page costs more than a page of the best name. */
const frontPageCost = 3
const maxWords = 8
const maxAboutWords = 6
const maxNameWords = 3
const namesPages =
  /\b(?:get(?:ting)? started|quick ?start|quick ?tour|beginners?|first steps|tutorial|introduction|intro|overview|summary|purpose|readme|change ?log|changes|releases?|history|news|setup)\b|^\W*start\W*$|\bwhat['’]?s new\b/i
const aboutAll = /\bwhat (?:is|are|does)\b/i
const maxPages = 3

/**
 * The pages that a question about the whole documentation means, the best first, at most three: by file, folder and title, near the root. Empty for a
 * question about anything else. `names` are the names of the library; its front pages may have others as title.
 */
export function meantPages(question: string, names: string[], pages: StoredPage[]): StoredPage[] {
  const titles = pages.flatMap(({ path, title }) => (isFrontOfAll(path) ? nameIn(title) : []))
  const intent = intentOf(wordsOf(question), [...names, ...titles], aboutAll.test(question))
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

/** `Kit` of `Kit - web framework`; empty for a title of more words. */
function nameIn(title: string): string[] {
  const [name = ''] = title.split(/\s[-–—|]\s|:\s/)
  return name.split(' ').length <= maxNameWords ? [name] : []
}

/** False if the question means no pages, so that they need not be read. */
export function mayMeanPages(question: string): boolean {
  const words = wordsOf(question)
  if (words.length === 0 || words.length > maxWords) return false
  return (aboutAll.test(question) && words.length <= maxAboutWords) || namesPages.test(question)
}

/** True for a question about the list of all pages. */
export const asksForContents = (question: string): boolean =>
  /^\W*(?:(?:show|list|what is|give)\b.{0,20})?(?:table of contents|toc|outline|site ?map|all pages)\W*$/i.test(question)

const wordsOf = (question: string): string[] => [...tokens(question.replace(/['’]s\b/g, ''))].flatMap((token) => token.words)
const isIntent = (word: string): boolean => intents.some((intent) => intent.words.has(word))
const isFrontOfAll = (path: string): boolean => {
  const segments = path.split('/')
  return segments.length <= 2 && frontPages.has(plainName((segments.at(-1) ?? '').replace(/\.\w+$/, '')))
}

function intentOf(words: string[], names: string[], isAbout: boolean): Intent | undefined {
  if (words.length === 0 || words.length > maxWords) return undefined
  const own = new Set(names.flatMap((name) => [...tokens(name)].flatMap(({ terms }) => terms)))
  const told = words.filter((word) => !functionWords.has(word) || isIntent(stem(word)))
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
