import type { SnippetRow } from './snippet-store.ts'
import { type Texts, textAt, textsBuilder } from './texts.ts'

/** A row without the number of its page and its place there. */
export type AnalysedUnit = Omit<SnippetRow, 'page' | 'id' | 'vector'>

/** The units of one page, as bytes that pass between threads without being copied. */
export type PackedUnits = {
  hashes: string[]
  tokens: Int32Array<ArrayBuffer>
  /** 1 for a unit with code. */
  hasCode: Uint8Array<ArrayBuffer>
  /** Index of the first heading of each unit among the headings of all units, then the number of headings. */
  breadcrumbs: Int32Array<ArrayBuffer>
  /** The JSON of every unit without its terms (empty for a unit of which only the hash is known), then all terms, all addresses, all paths, and all headings. */
  texts: Texts
}

/** A row as it is in JSON. `meaning` is base64. */
export type PlainRow<Row> = Omit<Row, 'terms' | 'vector' | 'meaning'> & { meaning?: string }

export function packUnits(units: (AnalysedUnit | { hash: string })[]): PackedUnits {
  const texts = textsBuilder()
  const full = units.map((unit) => ('terms' in unit ? unit : undefined))
  const breadcrumbs = new Int32Array(units.length + 1)
  full.forEach((unit, i) => {
    breadcrumbs[i + 1] = (breadcrumbs[i] as number) + (unit?.breadcrumb.length ?? 0)
  })
  for (const unit of full) texts.add(unit ? JSON.stringify(plain(unit)) : '')
  for (const unit of full) texts.add(unit?.terms ?? '')
  for (const unit of full) texts.add(unit?.url ?? '')
  for (const unit of full) texts.add(unit?.path ?? '')
  for (const unit of full) for (const heading of unit?.breadcrumb ?? []) texts.add(heading)
  return {
    hashes: units.map(({ hash }) => hash),
    tokens: Int32Array.from(full, (unit) => unit?.tokens ?? 0),
    hasCode: Uint8Array.from(full, (unit) => (unit && unit.code.length > 0 ? 1 : 0)),
    breadcrumbs,
    texts: texts.take(),
  }
}

/** The buffers to transfer, so that chunks pass to another thread without being copied. */
export const unitBuffers = ({ texts: { starts, bytes } }: PackedUnits): ArrayBuffer[] => [starts.buffer, bytes.buffer]

export const isTextKnown = ({ texts: { starts } }: PackedUnits, index: number): boolean =>
  (starts[index] as number) < (starts[index + 1] as number)

/** Units with their texts; those at the positions that `isWanted` chooses. */
export function unpackUnits(units: PackedUnits, isWanted: (index: number) => boolean = () => true): AnalysedUnit[] {
  const length = units.hashes.length
  return units.hashes.flatMap((_, i) =>
    isWanted(i) && isTextKnown(units, i)
      ? [fromPlain<AnalysedUnit>(JSON.parse(textAt(units.texts, i)), textAt(units.texts, length + i))]
      : [],
  )
}

function plain({ breadcrumb, content, code, path, url, topic, tokens, hash, section, lengths, meaning, toCode }: AnalysedUnit) {
  return {
    ...{ breadcrumb, content, code, path, url, topic, tokens, hash, section, lengths },
    ...(meaning && { meaning: Buffer.from(meaning.buffer, meaning.byteOffset, meaning.length).toString('base64') }),
    ...(toCode !== undefined && { toCode }),
  }
}

/** A row from its JSON and its terms. */
export const fromPlain = <Row extends { terms: string }>({ meaning, ...row }: PlainRow<Row>, terms: string): Row =>
  ({
    ...row,
    terms,
    ...(meaning !== undefined && { meaning: new Int8Array(Buffer.from(meaning, 'base64')) }),
  }) as unknown as Row
