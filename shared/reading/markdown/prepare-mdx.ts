import { fenceRoles, type Line } from './line.ts'

/** Removes constructs that site generators accept and the MDX parser rejects: heading ids, HTML comments, links in angle brackets. */
export function prepareMdx(lines: Line[]): Line[] {
  const roles = fenceRoles(lines)
  let comment = false
  return lines.map((line, i) => {
    if (roles[i] !== 'outside') return line
    const start = line.text.trimStart()
    if (comment || start.startsWith('<!--')) {
      const end = start.indexOf('-->')
      comment = end < 0
      return { ...line, text: comment ? '' : start.slice(end + 3) }
    }
    if (start.startsWith('#') && start.endsWith('}')) return { ...line, text: line.text.replace(/\s*\{#[\w.-]+\}$/, '') }
    if (start.includes('<http')) return { ...line, text: line.text.replace(/(?<!`)<(https?:\/\/[^\s<>`]+)>(?!`)/g, '$1') }
    return line
  })
}
