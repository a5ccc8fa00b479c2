import { isAlias, isMap, isScalar, isSeq, LineCounter, type Node, parseDocument } from 'yaml'

/** Gets each object and list of a file with the 1-based line of its key or its start. */
type NoteLine = (value: object, line: number) => void

/** Parses JSON, YAML, or other text, which stays a string. Throws for broken files, for several YAML documents and for aliases that multiply. */
export function parseSource(text: string, path: string, note: NoteLine): unknown {
  if (/\.json$/i.test(path)) return parseJson(text, note)
  return /\.ya?ml$/i.test(path) ? parseYaml(text, note) : text
}

function parseYaml(text: string, note: NoteLine): unknown {
  const counter = new LineCounter()
  // The check for unique keys compares each key with all others.
  const document = parseDocument(text, { logLevel: 'error', lineCounter: counter, uniqueKeys: false })
  if (document.errors[0]) throw document.errors[0]
  const root: unknown = document.toJS()
  const waiting: [node: unknown, value: unknown][] = [[document.contents, root]]
  const seen = new Set<unknown>()
  const visit = (start: Node, node: unknown, value: unknown) => {
    if (!isObject(value) || isAlias(node) || seen.has(value)) return
    seen.add(value)
    note(value, counter.linePos(start.range?.[0] ?? 0).line)
    waiting.push([node, value])
  }
  if (document.contents) visit(document.contents, document.contents, root)
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const [node, value] = next
    if (isMap<Node, unknown>(node))
      for (const { key, value: child } of node.items) visit(key, child, memberOf(value, isScalar(key) ? String(key.value) : ''))
    else if (isSeq<Node>(node)) for (const [i, item] of node.items.entries()) visit(item, item, memberOf(value, String(i)))
  }
  return root
}

const jsonToken = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],:\n]/gs

function parseJson(text: string, note: NoteLine): unknown {
  const root: unknown = JSON.parse(text)
  const above: { value: unknown; key: string; items: number }[] = []
  let line = 1
  let keyLine = 1
  let word = ''
  for (const [token] of text.matchAll(jsonToken)) {
    const open = above.at(-1)
    if (token === '\n') line += 1
    else if (token === '{' || token === '[') {
      const value = open ? memberOf(open.value, open.key) : root
      if (isObject(value)) note(value, Array.isArray(open?.value) || !open ? line : keyLine)
      above.push({ value, key: '0', items: 0 })
    } else if (token === '}' || token === ']') above.pop()
    else if (token === ':' && open) {
      open.key = textOf(word)
      keyLine = line
    } else if (token === ',' && open) {
      open.items += 1
      open.key = String(open.items)
    } else word = token
  }
  return root
}

const textOf = (token: string): string => (token.includes('\\') ? String(JSON.parse(token)) : token.slice(1, -1))

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null

const memberOf = (value: unknown, key: string): unknown =>
  isObject(value) && Object.hasOwn(value, key) ? (value as Record<string, unknown>)[key] : undefined
