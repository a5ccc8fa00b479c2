const maxTarget = 1000
const maxLabel = 999

/** Normalizes a reference label: labels are compared without case and spacing. */
export const referenceKey = (label: string): string => label.trim().replace(/\s+/g, ' ').toLowerCase()

/** Index after the target of a link whose text ends at `close`; undefined if it is not a link. */
export function endOfLink(text: string, close: number, start: number, references: ReadonlySet<string>): number | undefined {
  const next = text[close + 1]
  if (next === '(') {
    const end = endOfTarget(text, close + 2)
    if (end !== undefined) return endOfAttributes(text, end)
  }
  if (close - start > maxLabel) return undefined
  if (next === '[') {
    const end = text.indexOf(']', close + 2)
    const label = end < 0 || end - close > maxLabel ? undefined : text.slice(close + 2, end)
    if (label !== undefined && isReference(text, start, label, references)) return end + 1
  }
  return references.has(referenceKey(text.slice(start, close))) ? close + 1 : undefined
}

/** `[text][label]`: defined on the page, or anywhere in the site (autorefs); `row[0][1]` is neither. */
function isReference(text: string, start: number, label: string, references: ReadonlySet<string>): boolean {
  return references.has(referenceKey(label)) || !/[\w\])]/.test(text.charAt(start - 2))
}

function endOfTarget(text: string, from: number): number | undefined {
  const last = Math.min(text.length, from + maxTarget)
  let depth = 1
  let quote = ''
  for (let i = from; i < last; i++) {
    const char = text.charAt(i)
    if (char === '\\') i++
    else if (char === '\n' && text[i + 1] === '\n') return undefined
    else if (quote !== '') {
      if (char === quote) quote = ''
    } else if ((char === '"' || char === "'") && /\s/.test(text.charAt(i - 1))) quote = char
    else if (char === '(') depth++
    else if (char === ')' && --depth === 0) return i + 1
  }
  return undefined
}

/** Skips an attribute list after a link: `{:target="_blank"}`, `{ .button }`. */
function endOfAttributes(text: string, at: number): number {
  if (text[at] !== '{') return at
  const [list = ''] = /^\{\s?[:.#][^{}\n]{0,200}\}/.exec(text.slice(at, at + 210)) ?? []
  return at + list.length
}
