import { linesOf } from './lines.ts'
import type { Named } from './named.ts'

const requirement = /^\s*(?:require\s+)?([^\s()]+)\s+(v[^\s/]+)(?:\s*\/\/\s*(.*))?$/

/** The direct requirements. */
export function* readGoMod(text: string): Generator<Named> {
  let block = ''
  for (const each of linesOf(text)) {
    const line = each.trim()
    const [, opened] = /^([a-z]+)\s*\($/.exec(line) ?? []
    if (opened !== undefined) block = opened
    else if (line === ')') block = ''
    const isRequire = block === 'require' || (block === '' && /^require\s/.test(line))
    const [, name, version, comment = ''] = (isRequire && requirement.exec(line)) || []
    if (name !== undefined && !comment.startsWith('indirect')) yield { ecosystem: 'go', name, version }
  }
}
