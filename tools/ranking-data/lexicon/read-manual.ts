import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DOMParser } from 'linkedom'
import { UsageError } from '../../../shared/cli/usage-error.ts'
import { filesIn } from '../files-in.ts'
import type { Report } from '../report.ts'
import type { SentencePair } from './sentence-pair.ts'

type Block = { kind: string; text: string }

/** Elements of DocBook that hold a paragraph, a heading or a cell. */
const blockKinds = new Set(['para', 'simpara', 'title', 'titleabbrev', 'refpurpose', 'entry', 'term', 'member'])
/** Elements of DocBook that hold code. */
const codeKinds = new Set(
  `classname code command computeroutput constant constructorsynopsis envar exceptionname fieldsynopsis filename funcdef
funcsynopsis function initializer interfacename literal literallayout methodname methodsynopsis modifier option optional
parameter programlisting prompt property refname replaceable screen symbol synopsis systemitem tag type userinput
userinput varname`.split(/\s+/),
)

/** Blocks of the pages that two folders of DocBook share, in both languages. Skips pages whose blocks differ, with a report. */
export function* readManual(englishFolder: string, foreignFolder: string, report: Report): Generator<SentencePair> {
  if (filesIn(englishFolder, ['.xml']).length === 0) throw new UsageError(`${englishFolder} has no pages (*.xml).`)
  const paths = filesIn(foreignFolder, ['.xml'])
  const shared = paths.filter((path) => existsSync(join(englishFolder, path)))
  if (shared.length === 0)
    throw new UsageError(
      `${foreignFolder} has no page (*.xml) with the same path in ${englishFolder}. Name two parallel folders.`,
    )
  let different = 0
  for (const path of shared) {
    const english = blocksIn(join(englishFolder, path))
    const foreign = blocksIn(join(foreignFolder, path))
    if (english.length !== foreign.length || english.some(({ kind }, i) => kind !== foreign[i]?.kind)) {
      different += 1
      continue
    }
    for (const [i, { text: translated }] of foreign.entries()) {
      const original = english[i]?.text ?? ''
      if (original === '' || translated === '' || original === translated) continue
      yield { english: original, foreign: translated, part: partOf(path) }
    }
  }
  if (different > 0)
    report(`${foreignFolder}: ${different} of ${shared.length} pages skipped, their blocks are not those of the English page`)
}

/** The chapter: `reference/array` of `reference/array/functions/sort.xml`. */
const partOf = (path: string) => path.split('/').slice(0, -1).slice(0, 2).join('/') || path

function blocksIn(file: string): Block[] {
  const markup = readFileSync(file, 'utf8').replace(/&(?!(?:amp|lt|gt|quot|apos|#\w+);)[\w.-]+;/g, ' ')
  const document = new DOMParser().parseFromString(markup, 'text/xml')
  const blocks: Block[] = []
  collect(document as unknown as Node, undefined, blocks)
  return blocks.map(({ kind, text }) => ({ kind, text: text.replace(/\s+/g, ' ').trim() }))
}

type Node = { nodeType: number; nodeName: string; nodeValue: string | null; childNodes: Iterable<Node> }

const [elementNode, textNode] = [1, 3]

/** Adds the blocks in a node. Text goes to the innermost block around it. */
function collect(node: Node, around: Block | undefined, blocks: Block[]): void {
  for (const child of node.childNodes) {
    if (child.nodeType === textNode && around) around.text += child.nodeValue ?? ''
    if (child.nodeType !== elementNode) continue
    if (codeKinds.has(child.nodeName)) {
      if (around) around.text += ' '
      continue
    }
    const isBlock = blockKinds.has(child.nodeName)
    const block = isBlock ? { kind: child.nodeName, text: '' } : around
    if (isBlock && block) blocks.push(block)
    collect(child, block, blocks)
  }
}
