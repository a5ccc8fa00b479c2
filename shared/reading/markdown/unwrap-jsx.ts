import { type FlowItem, flowReader, type Part } from './flow-reader.ts'
import { fenceRoles, type Line } from './syntax/line.ts'
import { type Mark, scopeOf } from './syntax/scope.ts'
import { isElement, type Tag } from './syntax/tag.ts'

const maxOpen = 200

/** The start of a line: indentation, quote marks and markers of list items. */
const prefixPattern = /^(?:[ \t]|>|[-*+][ \t]|\d{1,9}[.)][ \t])*/
const closingAtEnd = /<\/([A-Za-z][\w.:-]*)\s*>\s*$/
const inlineElement =
  /^(?:a|abbr|b|bdi|bdo|br|cite|code|data|dfn|em|i|img|kbd|mark|q|s|samp|small|span|strong|sub|sup|time|u|var|wbr)$/i

/**
 * Replaces the tags and expressions between blocks, so that the content of components is read as Markdown of the page. Accepts what MDX
 * rejects: a tag that nothing closes has no effect, and a closing tag may follow text. Without `expressions`, braces are text.
 */
export function unwrapJsx(lines: Line[], options = { expressions: true }): Line[] {
  if (!lines.some(({ text }) => /[<{]/.test(text))) return lines
  const roles = fenceRoles(lines)
  const readFlow = flowReader(lines, roles, options)
  const components = openComponents()
  const out: Line[] = []
  for (let i = 0; i < lines.length; i++) {
    const line = lines[i] as Line
    if (roles[i] !== 'outside' || !/[<{]/.test(line.text)) {
      out.push(line)
      continue
    }
    const [prefix = ''] = prefixPattern.exec(line.text) ?? []
    const flow = readFlow(i, prefix.length)
    const rest = flow ? flow.rest : line.text.slice(prefix.length)
    const isFlow = flow !== undefined && (rest === '' || flow.items.some((item) => startsContainer(item, rest, components)))
    const parts = isFlow ? flow.items.flatMap((item) => partsOf(item, line.at, components)) : []
    const ending = components.endingAt(isFlow ? rest : line.text.slice(prefix.length))
    if (isFlow && flow) i += flow.more
    if (!isFlow && ending.marks.length === 0) out.push(line)
    else {
      if (ending.text.trim() !== '') parts.push({ text: ending.text, at: (lines[i] as Line).at })
      if (ending.marks.length > 0) parts.push({ text: '***', at: (lines[i] as Line).at, marks: ending.marks })
      write(parts, prefix, line.at, out)
    }
  }
  return out
}

/** The first line has the prefix of the replaced line, further ones are indented as far. */
function write(parts: Part[], prefix: string, at: number, out: Line[]): void {
  const indent = prefix.replace(/[^ \t>]/g, ' ')
  let lead = prefix
  for (const part of parts) {
    if (part.text === '***' && lead === indent) out.push({ text: indent.trimEnd(), at: part.at })
    out.push({ ...part, text: part.text === '' ? '' : lead + part.text })
    lead = indent
  }
  if (parts.length === 0) out.push({ text: prefix.trimEnd(), at })
}

/** True if a tag that text follows on its line starts or ends a container of blocks, and is not part of the text. */
function startsContainer(item: FlowItem, rest: string, components: OpenComponents): boolean {
  if ('parts' in item) return true
  const { name, closing, selfClosing, attributes } = item.tag
  if (closing) return components.has(name)
  if (selfClosing || (isElement(name) && inlineElement.test(name))) return false
  if (rest.trimEnd().endsWith(`</${name}>`)) return scopeOf(name, attributes) !== undefined
  return !rest.includes(`</${name}>`)
}

function partsOf(item: FlowItem, at: number, components: OpenComponents): Part[] {
  if ('parts' in item) return item.parts
  const marks = item.tag.closing ? components.close(item.tag.name) : components.open(item.tag)
  return [{ text: '***', at, marks }]
}

type OpenComponents = ReturnType<typeof openComponents>

/** The components that are open. Those without an effect on their content leave no mark. */
function openComponents() {
  const stack: { name: string; marked: boolean }[] = []
  const has = (name: string) => stack.some((each) => each.name === name)
  const close = (name: string): Mark[] => {
    const at = stack.findLastIndex((each) => each.name === name)
    if (at < 0) return []
    return stack
      .splice(at)
      .flatMap((closed) => (closed.marked ? [{ name: closed.name }] : []))
      .toReversed()
  }
  return {
    has,
    close,
    open({ name, attributes, selfClosing }: Tag): Mark[] {
      const scope = scopeOf(name, attributes)
      if (!selfClosing && stack.length < maxOpen) stack.push({ name, marked: scope !== undefined })
      if (!scope || stack.length > maxOpen) return []
      return selfClosing ? [{ name, scope }, { name }] : [{ name, scope }]
    },
    /** Closes the components whose closing tags are at the end of a text. */
    endingAt(text: string): { text: string; marks: Mark[] } {
      const marks: Mark[] = []
      let left = text
      for (let match = closingAtEnd.exec(left); match; match = closingAtEnd.exec(left)) {
        const { 1: name = '', index } = match
        const isOpenedHere =
          left.lastIndexOf(`<${name}`, index) >= 0 && !left.includes(`</${name}>`, left.lastIndexOf(`<${name}`, index))
        if (!has(name) || isOpenedHere) break
        marks.push(...close(name))
        left = left.slice(0, index)
      }
      return { text: left, marks }
    },
  }
}
