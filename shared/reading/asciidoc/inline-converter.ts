import type { AbstractNode, Inline } from '@asciidoctor/core'

/** Private-use characters, which later substitutions of asciidoctor ignore; `plainText` and `markdown` replace them. */
const marks = { strong: '\uE011', emphasis: '\uE012', open: '\uE013', close: '\uE014' }
const allMarks = /[\uE011-\uE014]/g

const customMacro = /\b(?:javadoc|configprop|apiref|github|issue|jira|commit|pull|user):([^\s[\]]{1,300})\[([^\]\n]{0,500})\]/g
const unknownLink = /\{[\w-]{1,100}\}[^\s[\]{}]{0,300}\[([^\]\n]{1,500})\]/g
const passedTag = /<\/?[A-Za-z][^<>]{0,500}>/g

/** asciidoctor's converter for inline nodes. Blocks are read from the tree, so they convert to ''. */
export const inlineConverter = {
  basebackend: 'html',
  filetype: 'html',
  htmlsyntax: 'html',
  outfilesuffix: '.html',
  convert: (node: AbstractNode): string => (node.isInline() ? convertInline(node as Inline) : ''),
}

/** Converted text as Markdown. */
export function markdown(converted: string): string {
  return clean(converted)
    .replace(/\uE013([^\uE013\uE014]*)\uE014/g, (_, code: string) => (code.includes('`') ? `\`\` ${code} \`\`` : `\`${code}\``))
    .replaceAll(marks.strong, '**')
    .replaceAll(marks.emphasis, '*')
    .replace(allMarks, '')
    .trim()
}

/** Converted text without any markup, for headings and labels. */
export const plainText = (converted: string): string => clean(converted).replace(allMarks, '').replace(/\s+/g, ' ').trim()

/** Converted text of a listing: reverts asciidoctor's escapes only. */
export const verbatim = (converted: string): string =>
  converted.replace(allMarks, '').replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&')

function convertInline(node: Inline): string {
  const text = node.text ?? ''
  switch (node.context) {
    case 'quoted':
      return convertQuoted(node.type ?? '', text)
    case 'anchor':
      return node.type === 'ref' || node.type === 'bibref' ? bibliographyMark(node) : convertLink(node, text)
    case 'image':
      return node.type !== 'icon' && node.getAttribute('alt') !== node.getAttribute('default-alt') ? node.getAlt() : ''
    case 'kbd':
      return [node.getAttribute('keys') ?? []].flat().join('+')
    case 'menu':
      return [node.getAttribute('menu'), node.getAttribute('submenus'), node.getAttribute('menuitem')]
        .flat()
        .filter(Boolean)
        .join(' > ')
    case 'callout':
      return `<${text}>`
    case 'footnote':
      return node.type === 'xref' || text === '' ? '' : ` (${text})`
    case 'indexterm':
      return node.type === 'visible' ? text : ''
    case 'break':
      return `${text}\n`
    default:
      return text
  }
}

function convertQuoted(type: string, text: string): string {
  if (text === '') return ''
  if (type === 'strong') return `${marks.strong}${text}${marks.strong}`
  if (type === 'emphasis') return `${marks.emphasis}${text}${marks.emphasis}`
  if (type === 'monospaced' || type === 'asciimath' || type === 'latexmath') return `${marks.open}${text}${marks.close}`
  if (type === 'double') return `"${text}"`
  if (type === 'single') return `'${text}'`
  return text
}

const bibliographyMark = (node: Inline): string => (node.type === 'bibref' ? `[${node.reftext ?? node.id ?? ''}]` : '')

/** A reference without text gets the title of its target, else its own id. */
function convertLink(node: Inline, text: string): string {
  if (node.type !== 'xref') return text || (node.target ?? '')
  const path = node.getAttribute('path')
  if (text !== '') return text
  if (typeof path === 'string') return path.replace(/\.html$/, '')
  const id = String(node.getAttribute('refid') ?? '')
  const title: unknown = node.document.catalog.refs[id]?.title
  return typeof title === 'string' && title !== '' ? title : id
}

/** asciidoctor escapes text, so remaining tags were passed through and are dropped. Typographic characters become what was typed. */
function clean(converted: string): string {
  return converted
    .replace(passedTag, '')
    .replace(customMacro, (_, target: string, text: string) => (text !== '' && !text.includes('=') ? text : memberName(target)))
    .replace(unknownLink, '$1')
    .replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|(\w{2,8}));/gi, decodeEntity)
}

/** `org.example.Outer$Inner#run` → `Outer.Inner#run`, as code. */
function memberName(target: string): string {
  const name = target.split('/').at(-1) ?? target
  return `${marks.open}${name.replace(/^(?:[a-z][\w]*\.)+(?=[A-Z])/, '').replaceAll('$', '.')}${marks.close}`
}

const typed = new Map<number, string>([
  [160, ' '],
  [169, '(C)'],
  [174, '(R)'],
  [8201, ' '],
  [8203, ''],
  [8212, '--'],
  [8216, "'"],
  [8217, "'"],
  [8220, '"'],
  [8221, '"'],
  [8230, '...'],
  [8482, '(TM)'],
  [8592, '<-'],
  [8594, '->'],
  [8656, '<='],
  [8658, '=>'],
])

const codeOfName = new Map<string, number>([
  ['amp', 38],
  ['lt', 60],
  ['gt', 62],
  ['quot', 34],
  ['apos', 39],
  ['nbsp', 160],
  ['copy', 169],
  ['reg', 174],
  ['ndash', 8211],
  ['mdash', 8212],
  ['lsquo', 8216],
  ['rsquo', 8217],
  ['ldquo', 8220],
  ['rdquo', 8221],
  ['hellip', 8230],
  ['trade', 8482],
  ['larr', 8592],
  ['rarr', 8594],
  ['times', 215],
  ['middot', 183],
  ['bull', 8226],
])

function decodeEntity(whole: string, decimal?: string, hex?: string, name?: string): string {
  const code = decimal ? Number.parseInt(decimal, 10) : hex ? Number.parseInt(hex, 16) : codeOfName.get(name?.toLowerCase() ?? '')
  if (code === undefined || code > 0x10ffff) return whole
  return typed.get(code) ?? String.fromCodePoint(code)
}
