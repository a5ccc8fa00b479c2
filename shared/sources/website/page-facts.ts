import type { Translation } from './sitemap-addresses.ts'

/** Facts of a web page that its stored text does not need. Links are as the page writes them. */
export type PageFacts = {
  title: string
  siteName: string
  description: string
  language: string
  canonical?: string
  base?: string
  /** The address that the page leads to without a click. */
  refresh?: string
  noIndex: boolean
  links: string[]
  translations: Translation[]
  /** Characters of text outside the navigation. */
  textChars: number
  /** Equal for pages with the same text outside the navigation. */
  textHash: string
  /** The page says, or its structure shows, that a script writes its text. */
  needsScript: boolean
  /** Keys of its texts outside the navigation. */
  keys: number[]
  /** Keys of the texts in its navigation. */
  asideKeys: number[]
}

const maxLinks = 5_000
const maxLinkChars = 2_000
const maxRefreshSeconds = 10

export const emptyFacts = (): PageFacts => ({
  title: '',
  siteName: '',
  description: '',
  language: '',
  noIndex: false,
  links: [],
  translations: [],
  textChars: 0,
  textHash: '',
  needsScript: false,
  keys: [],
  asideKeys: [],
})

/** Adds what a tag says. */
export function readFacts(facts: PageFacts, tag: string, attributes: Record<string, string>): void {
  const { href = '', content = '' } = attributes
  const rel = attributes.rel?.toLowerCase() ?? ''
  if (tag === 'html') facts.language ||= (attributes.lang ?? '').slice(0, 20)
  else if (tag === 'base' && href !== '') facts.base ??= href
  else if ((tag === 'a' || tag === 'area') && isLink(href) && facts.links.length < maxLinks && !/\bnofollow\b/.test(rel))
    facts.links.push(href)
  else if (tag === 'link' && rel === 'canonical' && isLink(href)) facts.canonical ??= href
  else if (tag === 'link' && rel === 'alternate' && isLink(href) && attributes.hreflang && facts.translations.length < 100)
    facts.translations.push({ language: attributes.hreflang, url: href })
  else if (tag === 'meta') readMeta(facts, attributes, content)
}

function readMeta(facts: PageFacts, attributes: Record<string, string>, content: string): void {
  const name = (attributes.name ?? attributes.property ?? attributes['http-equiv'] ?? '').toLowerCase()
  if (name === 'description') facts.description ||= content.slice(0, 500).trim()
  else if (name === 'og:site_name') facts.siteName ||= content.slice(0, 200).trim()
  else if (name === 'robots') facts.noIndex ||= /\b(?:noindex|none)\b/i.test(content)
  else if (name === 'refresh') {
    const [seconds = '', ...rest] = content.slice(0, maxLinkChars).split(/[;,]/)
    const url = rest
      .join(';')
      .trim()
      .replace(/^url\s{0,9}=\s{0,9}/i, '')
      .replace(/^(["'])(.*)\1$/, '$2')
    if (url !== '' && Number.parseFloat(seconds) <= maxRefreshSeconds) facts.refresh ??= url
  }
}

const isLink = (href: string): boolean => href !== '' && !href.startsWith('#') && href.length <= maxLinkChars
