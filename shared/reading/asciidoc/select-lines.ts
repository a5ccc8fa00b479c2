const tagDirective = /(?:^|\W)(tag|end)::([^\s[\]]{1,200})\[\]/

/** Rows of a file, and the 1-based line of the first. */
type Selected = { rows: string[]; line: number }

/** Selects rows of an included file by `lines` or `tags`, with asciidoctor's rules. Drops tag directives. */
export function selectLines(text: string, options: { lines?: string; tags?: string }): Selected {
  const rows = text
    .replace(/^\uFEFF/, '')
    .replace(/\r\n?/g, '\n')
    .replace(/\n$/, '')
    .split('\n')
  if (options.lines !== undefined && options.lines !== '') return selectNumbers(rows, options.lines)
  return selectTags(rows, parseTags(options.tags ?? ''))
}

function selectNumbers(rows: string[], numbers: string): Selected {
  const ranges = numbers
    .split(/[,;]/)
    .slice(0, 100)
    .map((part) => {
      const [from = '', to = from] = part.trim().split('..')
      const last = Number.parseInt(to, 10)
      return { from: Number.parseInt(from, 10), to: to === '' || last < 0 ? Number.POSITIVE_INFINITY : last }
    })
  const isChosen = (index: number) => ranges.some(({ from, to }) => index + 1 >= from && index + 1 <= to)
  return { rows: rows.filter((_, index) => isChosen(index)), line: rows.findIndex((_, index) => isChosen(index)) + 1 || 1 }
}

function parseTags(tags: string): Map<string, boolean> {
  const names = tags
    .split(/[,;]/)
    .map((name) => name.trim())
    .filter((name) => name !== '' && name !== '!')
  return new Map(names.map((name) => (name.startsWith('!') ? [name.slice(1), false] : [name, true])))
}

/** `**` selects all rows, `*` all tagged rows, `!` excludes a tag. */
function selectTags(rows: string[], tags: Map<string, boolean>): Selected {
  const { base, wildcard, named } = readWildcards(tags)
  const open: { tag: string; chosen: boolean }[] = []
  const isChosen = () => open.at(-1)?.chosen ?? base
  const chosen: string[] = []
  let line = 1
  for (const [index, row] of rows.entries()) {
    const [, kind, tag = ''] = (row.includes('::') && tagDirective.exec(row)) || []
    if (kind === undefined) {
      if (!isChosen()) continue
      if (chosen.length === 0) line = index + 1
      chosen.push(row)
    } else if (kind === 'end') {
      const at = open.findLastIndex((entry) => entry.tag === tag)
      if (at >= 0) open.splice(at, 1)
    } else if (named.has(tag)) open.push({ tag, chosen: named.get(tag) ?? false })
    else if (wildcard !== undefined) open.push({ tag, chosen: open.length > 0 && !isChosen() ? false : wildcard })
  }
  return { rows: chosen, line }
}

function readWildcards(tags: Map<string, boolean>): { base: boolean; wildcard?: boolean; named: Map<string, boolean> } {
  const named = new Map([...tags].filter(([name]) => name !== '*' && name !== '**'))
  const all = tags.get('**')
  const tagged = tags.get('*')
  if (all !== undefined)
    return { base: all, wildcard: tagged ?? (!all && [...named.values()][0] === false ? true : undefined), named }
  if (tagged !== undefined) return { base: [...tags.keys()][0] === '*' ? !tagged : false, wildcard: tagged, named }
  return { base: ![...named.values()].includes(true), named }
}
