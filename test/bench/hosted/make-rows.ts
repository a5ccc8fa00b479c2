import type { SnippetRow } from '../../../shared/search/rows/snippet-store.ts'
import { countTokens } from '../../../shared/text/count-tokens.ts'
import { makeCorpus } from '../corpus.ts'
import { randomFrom } from '../random.ts'

const rowsAtOnce = 500
const rowsOfPage = 12

/** Generated snippets, four in five with code, about 1,200 bytes each in a bundle. Yields them in batches. */
export function* makeRows(count: number, seed: number): Generator<SnippetRow[]> {
  const random = randomFrom(seed)
  const text = [...makeCorpus({ files: 40, bytesPerFile: 20_000, seed }).values()].join('\n\n')
  const blocks = text.split(/\n\n(?=[A-Z#`-])/)
  const prose = blocks.filter((block) => /^[A-Z]/.test(block) && block.length > 60)
  const code = blocks.filter((block) => /^```ts\n.*```$/s.test(block)).map((block) => block.slice(6, -4))
  const pick = (from: string[], maxChars: number) => from[Math.floor(random() * from.length)]?.slice(0, maxChars) ?? ''
  for (let from = 0; from < count; from += rowsAtOnce)
    yield Array.from({ length: Math.min(rowsAtOnce, count - from) }, (_, n) =>
      row(from + n, pick(prose, 160), random() < 0.8 ? pick(code, 240) : undefined),
    )
}

function row(n: number, prose: string, code: string | undefined): SnippetRow {
  const page = Math.floor(n / rowsOfPage)
  const title = prose.split(' ', 4).join(' ')
  const content = code === undefined ? `${prose}\n\n${prose}` : `${prose}\n\n\`\`\`ts\n${code}\n\`\`\``
  return {
    id: String(n),
    breadcrumb: [`Page ${page}`, title],
    content,
    code: code === undefined ? [] : [{ language: 'ts', code }],
    path: `docs/page-${page}.md`,
    url: `https://github.com/bench/export/blob/c0ffee/docs/page-${page}.md#L${n}`,
    topic: title.toLowerCase(),
    tokens: countTokens(content),
    hash: `${n}`.padStart(32, '0'),
    terms: content
      .toLowerCase()
      .replace(/[^a-z]+/g, ' ')
      .trim(),
    lengths: [4, 0, 2, 30, 30, 3],
    page,
    section: n % rowsOfPage,
  }
}
