import type { FindIncludes, ReaderContext } from '../page/page.ts'
import { parseSource } from './parse-source.ts'
import { pathOf } from './source-files.ts'
import { entriesOf, isValues, type Values, valuesOf } from './values.ts'

const reference = /\$ref["']?\s{0,20}:\s{0,20}["']?([^"'\s#,}\]]{1,500})(?:#([^"'\s,}\]]{0,500}))?/g
const declaration = /^[ \t{"']{0,40}(?:openapi|swagger)["']?[ \t]{0,20}:/m
/** Limits of the files that one document leads to. */
const maxFiles = 2_000
const maxChars = 12_000_000

/** The OpenAPI documents that are only parts of this one: they have no operation that it does not refer to. */
export const findOpenapiParts: FindIncludes<keyof ReaderContext> = (text, { path, readFile }) => {
  const parts: { file: string; text: string }[] = []
  const pointers = new Map<string, Set<string>>([[path, new Set()]])
  const waiting = [{ file: path, text }]
  let charsLeft = maxChars
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    for (const [, address = '', pointer = ''] of next.text.matchAll(reference)) {
      const file = pathOf(address, next.file)
      if (file === undefined || !/\.(?:json|ya?ml)$/i.test(file)) continue
      const known = pointers.get(file)
      known?.add(pointer)
      if (known || pointers.size > maxFiles || charsLeft <= 0) continue
      pointers.set(file, new Set([pointer]))
      const content = readFile(file)
      if (content === undefined) continue
      charsLeft -= content.length
      waiting.push({ file, text: content })
      if (declaration.test(content)) parts.push({ file, text: content })
    }
  }
  return parts.flatMap(({ file, text: content }) => (isPart(content, file, pointers.get(file) ?? new Set()) ? [file] : []))
}

function isPart(text: string, file: string, pointers: ReadonlySet<string>): boolean {
  const { paths, webhooks, 'x-webhooks': others } = rootOf(text, file)
  if (entriesOf(webhooks ?? others).length > 0) return false
  return entriesOf(paths).every(
    ([path, item]) => !isValues(item) || pointers.has(`/paths/${path.replaceAll('~', '~0').replaceAll('/', '~1')}`),
  )
}

function rootOf(text: string, file: string): Values {
  try {
    return valuesOf(parseSource(text, file, () => undefined))
  } catch {
    return {}
  }
}
