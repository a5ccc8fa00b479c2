import { readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { parseAllDocuments } from 'yaml'
import { filesIn } from '../../ranking-data/files-in.ts'
import type { TextFiles } from '../sources.ts'

const extensions = ['.json', '.jsonl', '.yaml', '.yml', '.py', '.ts', '.js', '.md', '.txt']
const minWords = 5
const maxChars = 6_000

/** The texts of a checkout that `wanted` names, without repeats, in a fixed order. */
export function readTexts(folder: string, wanted: TextFiles[]): string[] {
  const paths = wanted.length === 0 ? [] : filesIn(folder, extensions)
  const texts = wanted.flatMap((each) =>
    paths
      .filter((path) => each.files.test(path))
      .flatMap((path) => textsOf(readFileSync(join(folder, path), 'utf8'), path, each)),
  )
  return [...new Set(texts.map((text) => text.slice(0, maxChars).trim()).filter((text) => text.split(/\s+/).length >= minWords))]
}

function textsOf(source: string, path: string, wanted: TextFiles): string[] {
  if (wanted.as === 'pages') return [source]
  if (wanted.as === 'literals') return literalsAfter(source, wanted.after)
  return parsed(source, extname(path)).flatMap((value) => [...valuesIn(value, wanted, wanted.below === undefined)])
}

function parsed(source: string, extension: string): unknown[] {
  if (extension === '.json') return [JSON.parse(source)]
  if (extension === '.jsonl')
    return source
      .split('\n')
      .filter((line) => line.trim() !== '')
      .map((line) => JSON.parse(line))
  return parseAllDocuments(source, { logLevel: 'silent' }).map((document) => document.toJS() as unknown)
}

/** All strings below a key if `keys` is empty. */
function* valuesIn(value: unknown, wanted: TextFiles & { as: 'values' }, isBelow: boolean): Generator<string> {
  if (typeof value === 'string' && wanted.keys.length === 0 && isBelow) yield value
  if (typeof value !== 'object' || value === null) return
  const fields = Object.entries(value)
  const isWanted = Object.entries(wanted.where ?? {}).every(
    ([key, expected]) => (value as Record<string, unknown>)[key] === expected,
  )
  for (const [key, field] of fields) {
    if (isBelow && isWanted && typeof field === 'string' && wanted.keys.includes(key)) yield field
    yield* valuesIn(field, wanted, isBelow || key === wanted.below)
  }
}

const literal = /[fru]{0,2}("""[\s\S]*?"""|'''[\s\S]*?'''|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`)\s*\+?\s*/y

/** String literals of Python or TypeScript after a pattern; adjacent ones are one text. */
function literalsAfter(source: string, after: RegExp): string[] {
  const texts: string[] = []
  for (const match of source.matchAll(new RegExp(after, 'g'))) {
    let text = ''
    literal.lastIndex = match.index + match[0].length
    for (let part = literal.exec(source); part; part = literal.exec(source)) text += unquoted(part[1] as string)
    if (text !== '') texts.push(text)
  }
  return texts
}

const unquoted = (quoted: string): string =>
  quoted
    .replace(/^("""|'''|["'`])([\s\S]*)\1$/, '$2')
    .replaceAll(/\\[nrt]/g, ' ')
    .replaceAll(/\\(.)/g, '$1')
