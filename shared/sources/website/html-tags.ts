const kept = new Set('class role lang colspan rowspan alt data-lang data-language data-title aria-label'.split(' '))
const empty = new Set('area br col embed hr img input source track wbr'.split(' '))
const maxAttributeChars = 300

/** A tag with the attributes that the reader of HTML uses. */
export function openTag(tag: string, attributes: Record<string, string>): string {
  if (!/^[a-z][a-z0-9-]*$/.test(tag)) return ''
  let html = `<${tag}`
  for (const [name, value] of Object.entries(attributes))
    if (kept.has(name) && value.length <= maxAttributeChars) html += ` ${name}="${escapeText(value).replaceAll('"', '&quot;')}"`
  return `${html}>`
}

export const closeTag = (tag: string): string => (empty.has(tag) || !/^[a-z][a-z0-9-]*$/.test(tag) ? '' : `</${tag}>`)

export const escapeText = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
