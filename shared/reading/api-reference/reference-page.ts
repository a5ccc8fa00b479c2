import { buildPage, type Piece } from '../page/build-page.ts'
import { flatten } from '../page/compose-blocks.ts'
import type { Page } from '../page/page.ts'

/** An exported name of a module. */
export type Declaration = {
  /** The name that users write, such as `numpy.linalg.solve`. */
  name: string
  /** 1-based lines of its file. */
  line: number
  endLine: number
  /** Path of the file, if that is not the page's. */
  file?: string
  signature: string
  /** Its documentation, with the lines of its file; empty if it has none. */
  docs: Piece[]
  members: Declaration[]
}

export type Module = {
  title: string
  /** The language of signatures. */
  language: string
  docs: Piece[]
  declarations: Declaration[]
}

/** Signatures without documentation that one section lists. */
const maxListed = 200

/** A page with a section for each documented name, and one that lists the others. Without documentation the page is empty. */
export function referencePage({ title, language, docs, declarations }: Module): Page {
  const sections = declarations.filter(isDocumented).flatMap((each) => sectionsOf(each, language, 1))
  if (sections.length === 0 && docs.length === 0) return { title, sections: [] }
  const others = declarations.filter((each) => !isDocumented(each))
  return buildPage([...flatten(docs), ...sections, ...listed(others, language)], title)
}

const isDocumented = ({ docs, members }: Declaration): boolean => docs.length > 0 || members.some(isDocumented)

function sectionsOf(
  { name, line, endLine, file, signature, docs, members }: Declaration,
  language: string,
  level: number,
): Piece[] {
  const origin = { line, ...(file !== undefined && { file }) }
  const placed = (piece: Piece): Piece => (file === undefined || piece.file !== undefined ? piece : { ...piece, file })
  const plain = members.filter((each) => !isDocumented(each)).map((each) => each.signature)
  return [
    { kind: 'heading', text: name, level, ...origin, endLine },
    { kind: 'code', code: signature, language, ...origin },
    ...flatten(docs).map(placed),
    ...(plain.length === 0 ? [] : [code(plain, language, origin)]),
    ...members.filter(isDocumented).flatMap((each) => sectionsOf(each, language, level + 1)),
  ]
}

function listed(others: Declaration[], language: string): Piece[] {
  const [first] = others
  if (!first) return []
  const { line, file } = first
  const origin = { line, ...(file !== undefined && { file }) }
  const signatures = others.flatMap((each) => [each.signature, ...each.members.map(({ signature }) => signature)])
  return [{ kind: 'heading', text: 'Other exports', level: 1, ...origin }, code(signatures, language, origin)]
}

const code = (signatures: string[], language: string, origin: { line: number; file?: string }): Piece => ({
  kind: 'code',
  code: signatures.slice(0, maxListed).join('\n'),
  language,
  ...origin,
})
