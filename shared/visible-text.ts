const hiddenRun = /(?:(?![\t\n])[\p{Cc}\p{Cf}\u{E0000}-\u{E007F}])+/gu
const selectorRun = /(\p{Variation_Selector})\p{Variation_Selector}+/gu

const [nonJoiner, joiner] = ['\u200C', '\u200D']
/** A letter or mark of a script in which a joiner changes how words are written. */
const joining =
  /^[\p{scx=Arab}\p{scx=Syrc}\p{scx=Nkoo}\p{scx=Mong}\p{scx=Deva}\p{scx=Beng}\p{scx=Guru}\p{scx=Gujr}\p{scx=Orya}\p{scx=Taml}\p{scx=Telu}\p{scx=Knda}\p{scx=Mlym}\p{scx=Sinh}\p{scx=Khmr}\p{scx=Mymr}\p{scx=Tibt}]$/u
const emojiBefore = /^(?:\p{Extended_Pictographic}|\p{Emoji_Modifier}|\uFE0F)$/u
const emojiAfter = /^\p{Extended_Pictographic}$/u

/**
 * The text without what a person does not see and a model reads: control and format characters (Cc, Cf), tag characters, variation selectors
 * after another. Tabs and newlines stay, `\r\n` and `\r` become `\n`, and a single joiner stays next to letters of a script that needs it or
 * between emoji.
 */
export function visibleText(text: string): string {
  const lines = text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text
  return lines.replace(hiddenRun, (run, at: number) => (isNeeded(run, lines, at) ? run : '')).replace(selectorRun, '$1')
}

/** The same value, in which each text, also in lists and objects, is visible. */
export function visible<T>(value: T): T
export function visible(value: unknown): unknown {
  if (typeof value === 'string') return visibleText(value)
  if (Array.isArray(value)) return value.map(visible)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, visible(each)]))
}

function isNeeded(run: string, text: string, at: number): boolean {
  if (run !== joiner && run !== nonJoiner) return false
  const before = [...text.slice(Math.max(0, at - 2), at)].at(-1) ?? ''
  const after = [...text.slice(at + 1, at + 3)][0] ?? ''
  if (joining.test(before) || joining.test(after)) return true
  return run === joiner && emojiBefore.test(before) && emojiAfter.test(after)
}
