const hiddenRun = /(?:(?![\t\n])[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}])+/gu
/** ASCII, and ranges without hidden characters in which most other letters and signs are. */
const plainlyVisible =
  /^[\t\n\x20-\x7e\xa0-\xac\xae-\u02ff\u0370-\u0482\u2010-\u2027\u2030-\u205e\u2070-\u27ff\u2900-\u303f\u3040-\u3163\u3165-\ud7ff]*$/
const lineEnd = /\r\n?|[\u2028\u2029]/g

const [nonJoiner, joiner] = ['\u200C', '\u200D']
/** A letter or mark of a script in which a joiner changes the shape of words. */
const joining =
  /^[\p{scx=Arab}\p{scx=Syrc}\p{scx=Nkoo}\p{scx=Mong}\p{scx=Deva}\p{scx=Beng}\p{scx=Guru}\p{scx=Gujr}\p{scx=Orya}\p{scx=Taml}\p{scx=Telu}\p{scx=Knda}\p{scx=Mlym}\p{scx=Sinh}\p{scx=Khmr}\p{scx=Mymr}\p{scx=Tibt}]$/u
const quote = /^["'`]$/
const emojiBefore = /^(?:\p{Extended_Pictographic}|\p{Emoji_Modifier})$/u
const emojiAfter = /^\p{Extended_Pictographic}$/u
const [textStyle, emojiStyle, keycap] = ['\uFE0E', '\uFE0F', '\u20E3']
const mongolianVariant = /^[\u180B-\u180D\u180F]$/

/**
 * Removes the characters that people do not see but models read: control and format characters (Cc, Cf), and those that renderers
 * ignore (Default_Ignorable_Code_Point: tag characters, variation selectors, fillers). Tabs and newlines stay, other line ends become `\n`, a
 * Braille blank becomes a space. One joiner stays next to letters of a script that needs it, between emoji, or alone between quotes (as in
 * code that joins emoji), and one selector after an emoji or a Mongolian letter.
 */
export function visibleText(text: string): string {
  if (isPlainlyVisible(text)) return text
  const lines = text.replace(lineEnd, '\n').replaceAll('\u2800', ' ')
  return lines.replace(hiddenRun, (run, at: number) => neededPart(run, lines, at))
}

/** A fast test for most texts that `visibleText` would not change. */
export const isPlainlyVisible = (text: string): boolean => plainlyVisible.test(text)

/** Applies `visibleText` to every text in a value, also in lists and objects. */
export function visible<T>(value: T): T
export function visible(value: unknown): unknown {
  if (typeof value === 'string') return visibleText(value)
  if (Array.isArray(value)) return value.map(visible)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, visible(each)]))
}

/** The characters of a run of invisible ones that change how the text around it is displayed. */
function neededPart(run: string, text: string, at: number): string {
  const before = [...text.slice(Math.max(0, at - 2), at)].at(-1) ?? ''
  const after = [...text.slice(at + run.length, at + run.length + 2)][0] ?? ''
  if (mongolianVariant.test(run)) return /^\p{scx=Mong}$/u.test(before) ? run : ''
  const isJoiner = run === joiner || run === nonJoiner
  if (isJoiner && (joining.test(before) || joining.test(after) || (quote.test(before) && before === after))) return run
  const [first = ''] = run
  const isStyle = first === textStyle || first === emojiStyle
  const style = isStyle && (emojiBefore.test(before) || after === keycap) ? first : ''
  const joins = run === `${isStyle ? first : ''}${joiner}` && emojiBefore.test(before) && emojiAfter.test(after)
  return style + (joins ? joiner : '')
}
