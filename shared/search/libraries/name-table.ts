import { differingClasses, editDistance, letterClasses } from '../../text/edit-distance.ts'
import type { GradedNames } from './library-names.ts'

/** Called with the position of a library, and the grade and text of the matching name. */
type Found = (library: number, grade: number, name: string) => void

/** The names of all libraries, for exact, prefix and fuzzy lookups. */
export type NameTable = {
  exact(text: string, report: Found): void
  startingWith(text: string, report: Found): void
  /** `edits` returns the maximum edit distance for a name of some length. */
  similar(
    text: string,
    edits: (length: number) => number,
    report: (library: number, grade: number, name: string, distance: number) => void,
  ): void
}

export function nameTable(namesOf: GradedNames[]): NameTable {
  const rows: { text: string; grade: number; library: number }[] = []
  namesOf.forEach((names, library) => {
    for (const [text, grade] of names) rows.push({ text, grade, library })
  })
  rows.sort((a, b) => (a.text < b.text ? -1 : a.text > b.text ? 1 : a.library - b.library))
  const texts = rows.map((row) => row.text)
  const libraries = Uint32Array.from(rows, (row) => row.library)
  const gradeOf = Float64Array.from(rows, (row) => row.grade)
  const lengths = Uint16Array.from(rows, (row) => Math.min(row.text.length, 0xffff))
  const letters = Uint32Array.from(rows, (row) => letterClasses(row.text))

  const from = (text: string): number => {
    let low = 0
    let high = texts.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((texts[middle] ?? '') < text) low = middle + 1
      else high = middle
    }
    return low
  }
  const report = (row: number, callback: Found) => callback(libraries[row] ?? 0, gradeOf[row] ?? 0, texts[row] ?? '')

  return {
    exact(text, callback) {
      for (let row = from(text); texts[row] === text; row++) report(row, callback)
    },
    startingWith(text, callback) {
      for (let row = from(text); texts[row]?.startsWith(text); row++) report(row, callback)
    },
    similar(text, edits, callback) {
      const asked = letterClasses(text)
      for (let row = 0; row < texts.length; row++) {
        const length = lengths[row] ?? 0
        const limit = edits(length)
        if (Math.abs(length - text.length) > limit || differingClasses(letters[row] ?? 0, asked) > 2 * limit) continue
        const name = texts[row] ?? ''
        const distance = editDistance(text, name, limit)
        if (distance <= limit) callback(libraries[row] ?? 0, gradeOf[row] ?? 0, name, distance)
      }
    },
  }
}
