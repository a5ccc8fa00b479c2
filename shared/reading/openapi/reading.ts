import type { Section } from '../page/page.ts'
import { describedBlocks, placed, prose } from './describe.ts'
import type { References } from './references.ts'
import type { Detail, Scope, SharedError } from './schema-lines.ts'
import type { Values } from './values.ts'

/** Lines of schemas in one document. */
const maxSchemaLines = 300_000

/** A document that is being read. Errors and long descriptions are collected while operations are read, and become sections. */
export type Reading = { root: Values; document: string; scope: Scope; errors: SharedError[]; takeDetails(): Detail[] }

export function startReading(root: Values, document: string, refs: References): Reading {
  const seen = new Set<string>()
  const isFirst = (key: string) => !seen.has(key) && seen.add(key) !== undefined
  const errors: SharedError[] = []
  let details: Detail[] = []
  return {
    root,
    document,
    errors,
    scope: {
      refs,
      linesLeft: maxSchemaLines,
      addError(error) {
        const { file, line } = refs.place(error.values)
        if (isFirst(`${line} ${file}`)) errors.push(error)
      },
      addDetail(detail) {
        if (isFirst(`${detail.name}\n${detail.description}`)) details.push(detail)
      },
    },
    takeDetails() {
      const taken = details
      details = []
      return taken
    },
  }
}

/** A section for each long description of a property, below the headings of the section that lists it. */
export async function detailSections(details: Detail[], headings: string[], { scope, document }: Reading): Promise<Section[]> {
  const sections: Section[] = []
  for (const { name, type, description, values } of details) {
    const blocks = [...prose(`\`${name}\`${type === '' ? '' : ` (${type})`}`), ...(await describedBlocks(description))]
    sections.push(placed({ headings: [...headings, name], blocks }, scope.refs.place(values), document))
  }
  return sections
}
