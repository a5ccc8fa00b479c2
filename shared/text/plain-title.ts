import { visibleText } from './visible-text.ts'

const maxTitleLength = 100
const maxDescriptionLength = 500
/** Longer texts are cut before they are cleaned. */
const maxReadLength = 4_000

const emoji = /(?:\p{Emoji_Presentation}|\p{Extended_Pictographic}\uFE0F)(?:\p{Emoji_Modifier}|\uFE0F|\u200D|\u20E3)*/gu
const shortcode = /(?<!\S):[a-z0-9_+-]{1,50}:(?!\S)/g
const tag = /<\/?[a-zA-Z][^<>]{0,500}>/g
const separator = /^[-–—|:·•,]+$/

/** A name on one line without markup, emoji, and control or format characters. Undefined if it has no letters or is too long for a name. */
export function plainTitle(text: string): string | undefined {
  const words = plainLine(text).split(' ')
  while (separator.test(words[0] ?? '')) words.shift()
  while (separator.test(words.at(-1) ?? '')) words.pop()
  const title = words.join(' ').replace(/[:,]$/, '')
  return /[\p{L}\p{N}]/u.test(title) && title.length <= maxTitleLength ? title : undefined
}

/** A description on one line, like `plainTitle`. A long one is cut between words. */
export function plainDescription(text: string, maxLength = maxDescriptionLength): string | undefined {
  const line = plainLine(text)
  if (!/\p{L}/u.test(line)) return undefined
  if (line.length <= maxLength) return line
  const cut = line.slice(0, maxLength - 1)
  return `${visibleText(cut.replace(/\s\S*$/, '').replace(/[\uD800-\uDBFF]$/, ''))}…`
}

/** A text on one line, without control and format characters. */
export const oneLine = (text: string): string => visibleText(text).replace(/\s+/g, ' ').trim()

const plainLine = (text: string): string =>
  oneLine(text.slice(0, maxReadLength).replace(tag, ' ').replace(emoji, ' ').replace(shortcode, ' '))
