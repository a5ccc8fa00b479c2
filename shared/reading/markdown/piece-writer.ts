import type { Piece } from '../page/build-page.ts'
import type { Block } from '../page/page.ts'
import { isHiddenCell, withoutCellOptions } from './executable-cell.ts'
import { readFenceInfo } from './fence-info.ts'
import { plainText } from './syntax/clean-inline.ts'
import type { Scope } from './syntax/scope.ts'

/** Collects the pieces of a page and tracks the open tabs, groups and callouts. */
export type PieceWriter = {
  pieces: Piece[]
  heading(text: string, level: number, line: number): void
  prose(text: string, line: number): void
  code(code: string, info: string, line: number): void
  /** Writes a finished block as it is. */
  block(block: Block): void
  open(name: string, scope: Scope | undefined, line: number): void
  /** Closes the innermost scope of that name and the scopes inside it. Does nothing if there is none. */
  close(name: string): void
}

/** `nextTab`: index in `labels` for the next tab. `shown`: the page has the label already. */
type OpenScope = Scope & { name: string; groupId?: number; nextTab: number; shown: boolean }

const maxScopes = 100

/** `freeWords`: words after a fence's language are its label. */
export function pieceWriter({ freeWords }: { freeWords: boolean }): PieceWriter {
  const pieces: Piece[] = []
  const scopes: OpenScope[] = []
  let groups = 0

  const showLabel = (scope: OpenScope, line: number) => {
    if (scope.label && !scope.shown) pieces.push({ kind: 'prose', text: bold(scope.label), line })
    scope.shown = true
  }
  const prose = (text: string, line: number) => {
    if (text.trim() === '') return
    for (const scope of scopes) showLabel(scope, line)
    pieces.push({ kind: 'prose', text: text.trim(), line })
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
      if (isHiddenCell(code, info)) return
      const { language, label: own } = readFenceInfo(info, freeWords)
      const tab = scopes.findLast((scope) => scope.label)
      if (tab && own && own !== tab.label) showLabel(tab, line)
      if (tab) tab.shown = true
      const label = own ?? tab?.label
      const group = scopes.findLast(({ groupId }) => groupId !== undefined)?.groupId
      pieces.push({
        kind: 'code',
        code: withoutCellOptions(code, info),
        language,
        line,
        ...(label && { label }),
        ...(group !== undefined && { group }),
      })
    },
    block(block) {
      if (block.kind === 'prose') prose(block.text, block.line)
      else pieces.push(block)
    },
    open(name, scope, line) {
      if (scopes.length >= maxScopes) return
      const list = scope && 'label' in scope && !scope.label ? scopes.findLast(({ labels }) => labels?.length) : undefined
      const label = scope?.label || list?.labels?.[list.nextTab++]
      if (scope?.title) prose(bold(scope.title), line)
      scopes.push({ ...scope, label, name, nextTab: 0, shown: false, ...(scope?.group && { groupId: ++groups }) })
    },
    close(name) {
      const at = scopes.findLastIndex((scope) => scope.name === name)
      if (at >= 0) scopes.length = at
    },
  }
}

const bold = (text: string): string => `**${plainText(text, { references: new Set(), jsx: false })}**`
