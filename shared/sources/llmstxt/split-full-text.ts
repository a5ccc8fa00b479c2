import { webAddress } from '../website/web-address.ts'

type TextPart = { url: URL; text: string }

/**
 * The pages of an llms-full.txt: those that begin with a title and `Source: <address>`, or with front matter that has `url`. A text without
 * either is one page.
 */
export function splitFullText(text: string, from: URL): TextPart[] {
  const lines = text.split('\n')
  const starts: { line: number; url: URL }[] = []
  let fence: string | undefined
  for (const [at, line] of lines.entries()) {
    const marks = /^(`{3,}|~{3,})/.exec(line)?.[1]
    if (marks !== undefined && (fence === undefined || line.startsWith(fence))) fence = fence === undefined ? marks : undefined
    if (fence !== undefined) continue
    const isTitle = /^# \S/.test(line)
    const source = isTitle ? /^(?:Source|URL): (\S{1,1000})/.exec(lines[at + 1] ?? '') : undefined
    const named = line === '---' ? urlInFrontMatter(lines.slice(at + 1, at + 20)) : undefined
    const url = webAddress(source?.[1] ?? named ?? '', from.href)
    if (url && (source || named !== undefined)) starts.push({ line: at, url })
  }
  const [first] = starts
  if (!first) return [{ url: from, text }]
  const ends = [...starts.slice(1).map(({ line }) => line), lines.length]
  const parts = starts.map(({ line, url }, i) => ({ url, text: lines.slice(line, ends[i]).join('\n') }))
  const head = lines.slice(0, first.line).join('\n')
  return head.trim() === '' ? parts : [{ url: from, text: head }, ...parts]
}

function urlInFrontMatter(lines: string[]): string | undefined {
  const end = lines.indexOf('---')
  const line = lines.slice(0, Math.max(0, end)).find((each) => each.startsWith('url:'))
  return (
    line
      ?.slice('url:'.length)
      .trim()
      .replace(/^(["'])(.*)\1$/, '$2') || undefined
  )
}
