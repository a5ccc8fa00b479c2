type Place = { file: string; line: number }

/** The rows of included texts, the first of which is at a place, by the places of their directives. */
export type IncludedTexts = Map<string, Place & { rows: string[] }>

export const directiveAt = (file: string, line: number): string => `${line} ${file}`

const maxDepth = 10

/**
 * asciidoctor's place of a block at the start or the end of an included text is that of the directive, or a line above. Returns the place of its
 * first row in the included text, which may itself begin or end with an include.
 */
export function placeInInclude(place: Place, row: string | undefined, includes: IncludedTexts, depth = 0): Place {
  if (depth === maxDepth) return place
  for (const line of row === undefined ? [place.line] : [place.line, place.line + 1]) {
    const included = includes.get(directiveAt(place.file, line))
    if (!included) continue
    const at = row === undefined ? 0 : included.rows.lastIndexOf(row)
    if (at >= 0) return { file: included.file, line: included.line + at }
    const inside = line === place.line && placeInInclude(edgeOf(included), row, includes, depth + 1)
    if (inside) return inside
  }
  return place
}

/** The place of the directive that a text ends with, or of its start. */
function edgeOf({ file, line, rows }: Place & { rows: string[] }): Place {
  const last = rows.findLastIndex((row) => row.startsWith('include::'))
  const isEdge = last >= 0 && rows.slice(last + 1).every((row) => row === '')
  return { file, line: isEdge ? line + last : line }
}
