import { type FenceInfo, readFenceInfo } from './markdown-fence.ts'
import type { Scope } from './markdown-scopes.ts'
import type { Piece } from './page-builder.ts'

type OpenScope = Scope & { name: string; groupId?: number; tab: number; shown: boolean }

/** Collects the pieces of a page, and knows in which tabs, groups and callouts the next one stands. */
export type PieceWriter = {
  pieces: Piece[]
  heading(text: string, level: number, line: number): void
  prose(text: string, line: number): void
  code(code: string, info: string, line: number): void
  open(name: string, scope: Scope | undefined, line: number): void
  /** Closes the innermost scope of that name and what is open within; does nothing where there is none. */
  close(name: string): void
}

export function pieceWriter(options: { freeWords: boolean }): PieceWriter {
  const pieces: Piece[] = []
  const scopes: OpenScope[] = []
  let groups = 0

  const prose = (text: string, line: number) => {
    if (text.trim() === '') return
    for (const scope of scopes) showLabel(scope)
    pieces.push({ kind: 'prose', text: trimLines(text), line })

    function showLabel(scope: OpenScope) {
      if (scope.label && !scope.shown) pieces.push({ kind: 'prose', text: bold(scope.label), line })
      scope.shown = true
    }
  }

  return {
    pieces,
    prose,
    heading(text, level, line) {
      if (text === '') return
      if (scopes.some(({ callout }) => callout)) prose(bold(text), line)
      else pieces.push({ kind: 'heading', text, level, line })
    },
    code(code, info, line) {
      const { language, label } = readFenceInfo(info, options.freeWords)
      const tab = scopes.findLast((scope) => scope.label)
      if (label && tab && !tab.shown && tab.label !== label) pieces.push({ kind: 'prose', text: bold(tab.label ?? ''), line })
      if (tab) tab.shown = true
      pieces.push({
        kind: 'code',
        code,
        language,
        line,
        ...labelled({ language, label: label ?? tab?.label }),
        ...grouped(scopes),
      })
    },
    open(name, scope, line) {
      const parent = scopes.findLast(({ labels }) => labels?.length)
      const label = scope && 'label' in scope ? (scope.label ?? parent?.labels?.[parent.tab++]) : undefined
      if (scope?.title) prose(bold(scope.title), line)
      scopes.push({ ...scope, label, name, tab: 0, shown: false, ...(scope?.group ? { groupId: ++groups } : {}) })
    },
    close(name) {
      const at = scopes.findLastIndex((scope) => scope.name === name)
      if (at >= 0) scopes.length = at
    },
  }
}

const bold = (text: string): string => `**${text.replaceAll('**', '').replace(/\s+/g, ' ').trim()}**`
const trimLines = (text: string): string => text.replace(/^(?:[ \t]*\n)+/, '').trimEnd()
const labelled = ({ label }: FenceInfo): { label?: string } => (label ? { label } : {})

function grouped(scopes: OpenScope[]): { group?: number } {
  const group = scopes.findLast(({ groupId }) => groupId !== undefined)?.groupId
  return group === undefined ? {} : { group }
}
