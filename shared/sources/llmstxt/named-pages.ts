import { webAddress } from '../website/web-address.ts'

const link = /\]\(\s{0,9}<?([^\s()<>]{1,1000}(?:\([^\s()<>]{0,200}\))?)/g
const maxLinks = 20_000

/** The pages that an llms.txt names, in order, each once. */
export function namedPages(text: string, from: string): URL[] {
  const pages = new Map<string, URL>()
  for (const [, target = ''] of text.matchAll(link)) {
    const url = webAddress(target, from)
    if (url && url.href !== from) pages.set(url.href, url)
    if (pages.size >= maxLinks) break
  }
  return [...pages.values()]
}

/** The address of the Markdown of a page, as llmstxt.org proposes it; undefined if the address is that of a text. */
export function markdownAddress({ href, pathname, search }: URL): string | undefined {
  if (/\.(?:mdx?|markdown|txt)$/i.test(pathname) || search !== '') return undefined
  return pathname.endsWith('/') ? `${href}index.html.md` : `${href}.md`
}

/** The title and the summary at the start of the file. */
export function headOf(text: string): { title: string | undefined; description: string | undefined } {
  const lines = text.slice(0, 10_000).split('\n')
  const after = (mark: string) =>
    lines
      .find((line) => line.startsWith(mark))
      ?.slice(mark.length)
      .trim() || undefined
  return { title: after('# '), description: after('> ') }
}
