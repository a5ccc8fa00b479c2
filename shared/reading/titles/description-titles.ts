import { maxDescriptionBytes } from '../openapi/is-api-description.ts'
import { valuesOf } from '../openapi/values.ts'
import { readInside } from './read-inside.ts'
import { firstSentence } from './readme-titles.ts'
import { namesIn } from './site-folders.ts'
import type { Titled } from './titled.ts'
import { yamlText } from './yaml-text.ts'

const maxInfoLength = 256 * 1024
/** A string without an end reaches to that of the text, so that each character is read once. */
const jsonToken = /"[^"\\]*(?:\\(?:.|$)[^"\\]*)*(?:"|$)|[{}[\],:]/gs

/**
 * Title and description of the only file in a folder, an OpenAPI, Swagger or AsyncAPI document. Never throws: other files have no title. Only the
 * text of `info` is parsed, since parsers need far more memory than the document has.
 */
export async function descriptionTitles(root: string): Promise<Titled[]> {
  const [path] = (await namesIn(root, '')).filter((name) => /\.(?:json|ya?ml)$/i.test(name))
  const text = path === undefined ? undefined : await readInside(root, path, maxDescriptionBytes)
  if (text === undefined) return []
  const textOf = /^\s*\{/.test(text) ? jsonTexts(text) : (key: string) => yamlText(text, ['info', key], maxInfoLength)
  try {
    const description = (await textOf('summary')) ?? firstSentence((await textOf('description')) ?? '')
    return [{ title: await textOf('title'), description }]
  } catch {
    return []
  }
}

/** The texts of `info` by their keys. */
const jsonTexts =
  (text: string) =>
  (key: string): string | undefined => {
    const info: unknown = JSON.parse(infoIn(text))
    const value = valuesOf(info)[key]
    return typeof value === 'string' ? value : undefined
  }

/** The object `info` of a JSON document; an empty one if it is absent or large. */
function infoIn(text: string): string {
  let depth = 0
  let start = 0
  let word = ''
  for (const { 0: token, index } of text.matchAll(jsonToken)) {
    if (token === '{' || token === '[') depth += 1
    else if (token === '}' || token === ']') depth -= 1
    if (start > 0 && depth === 1) return token === '}' && index - start < maxInfoLength ? text.slice(start, index + 1) : '{}'
    if (depth === 1 && token === ':' && word === '"info"') start = index + 1
    word = token
  }
  return '{}'
}
