import { linesOf } from './lines.ts'
import type { Named } from './named.ts'

const requirement = /^(?:require\s+)?([^\s()]+)\s+(v[^\s/]+)$/

/** The direct requirements. */
export function* readGoMod(text: string): Generator<Named> {
  let block = ''
  for (const each of linesOf(text)) {
    const [line = '', comment = ''] = each.split('//').map((part) => part.trim())
    const [, opened] = /^([a-z]+)\s*\($/.exec(line) ?? []
    if (opened !== undefined) block = opened
    else if (line === ')') block = ''
    const isRequire = block === 'require' || (block === '' && /^require\s/.test(line))
    const [, name, version] = (isRequire && !comment.startsWith('indirect') && requirement.exec(line)) || []
    if (name !== undefined) yield { ecosystem: 'go', name, version }
  }
}
