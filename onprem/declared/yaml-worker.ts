import { parentPort, workerData } from 'node:worker_threads'
import { type Document, isPair, LineCounter, type Node, type Pair, parseDocument, visit } from 'yaml'
import { visibleText } from '../../shared/text/visible-text.ts'

const maxAliases = 100

/** An error at a line, from 1. */
export type YamlProblem = { line: number; path: string; message: string }

/** `lines` has the line of each key and item, by its path as a JSON array. */
export type ParsedYaml = { problems: YamlProblem[] } | { value: unknown; lines: Map<string, number> }

/** Part of a path of the tree: pairs and nodes by turns. */
type Ancestors = readonly (Document | Node | Pair)[]

function parse(text: string): ParsedYaml {
  const counter = new LineCounter()
  // The parser would compare each key with all others, so that keys are compared below.
  const options = { lineCounter: counter, prettyErrors: false, uniqueKeys: false, logLevel: 'silent' } as const
  const document = parseDocument(text, options)
  const lineAt = (node: unknown) => counter.linePos((node as Node | undefined)?.range?.[0] ?? 0).line
  const [broken] = [...document.errors, ...document.warnings]
  if (broken) {
    const message = `is not valid YAML: ${visibleText(broken.message)}`
    return { problems: [{ line: counter.linePos(broken.pos[0]).line, path: '', message }] }
  }
  const problems: YamlProblem[] = []
  const lines = new Map<string, number>()
  let aliases = 0
  visit(document, {
    Alias(_, alias) {
      aliases += 1
      if (aliases <= maxAliases) return undefined
      problems.push({ line: lineAt(alias), path: '', message: `has more than ${maxAliases} aliases` })
      return visit.BREAK
    },
    Pair(_, { key }, ancestors) {
      const path = JSON.stringify([...pathOf(ancestors), String(key)])
      const earlier = lines.get(path)
      if (earlier !== undefined)
        problems.push({ line: lineAt(key), path: String(key), message: `is named twice; first in line ${earlier}` })
      else lines.set(path, lineAt(key))
    },
    Node(at, node, ancestors) {
      if (typeof at === 'number') lines.set(JSON.stringify([...pathOf(ancestors), at]), lineAt(node))
    },
  })
  if (problems.length > 0) return { problems }
  try {
    return { value: document.toJS({ maxAliasCount: maxAliases }), lines }
  } catch (error) {
    // The package has no class for aliases that multiply.
    if (!(error instanceof ReferenceError)) throw error
    return { problems: [{ line: 1, path: '', message: `cannot be used: ${visibleText(error.message)}` }] }
  }
}

/** The keys and positions that lead to a node below these. */
function pathOf(ancestors: Ancestors): (string | number)[] {
  return ancestors.flatMap((ancestor, at): (string | number)[] => {
    if (isPair(ancestor)) return [String(ancestor.key)]
    const parent = ancestors[at - 1]
    const position = parent && 'items' in parent ? (parent.items as unknown[]).indexOf(ancestor) : -1
    return position < 0 ? [] : [position]
  })
}

parentPort?.postMessage(parse(String(workerData)))
