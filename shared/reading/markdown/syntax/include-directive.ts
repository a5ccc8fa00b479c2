import { type FilePart, readFileSpec, readRanges } from './file-part.ts'
import { readTag } from './tag.ts'

/** A line that includes another file or a part of it. `listing`: shown as code, whatever the format. */
export type IncludeDirective = { path: string; part: FilePart; listing?: { label?: string; language?: string } }

/** `inFences`: the directive also works inside code blocks. */
type Grammar = { inFences?: true; pattern: RegExp; read(match: RegExpExecArray): IncludeDirective }

const unquoted = (text: string): string => text.trim().replace(/^(["'])(.*)\1$/, '$2')

/** Each pattern matches a whole trimmed line. */
const grammars: Grammar[] = [
  { inFences: true, pattern: /^-+8<-+[ \t]+(["'])([^"']+)\1$/, read: ([, , spec = '']) => readFileSpec(spec) },
  {
    inFences: true,
    pattern: /^\{!>?[ \t]*([^\s!{}[\]]+)[ \t]*(?:\[ln:([\d:,-]+)\])?(?:!?[ \t]*lines=([\d-]+))?[^!{}]*!\}$/,
    read: ([, path = '', ln, lines]) => ({ path, part: rangesIn(ln ?? lines) }),
  },
  {
    pattern: /^\{\*[ \t]+([^\s{}]+)([^*{}]*)\*\}$/,
    read: ([, path = '', rest = '']) => ({ path, part: rangesIn(/\bln\[([\d:,-]+)\]/.exec(rest)?.[1]), listing: {} }),
  },
  {
    inFences: true,
    pattern: /^\{\{[ \t]*#(?:include|rustdoc_include|playground|playpen)[ \t]+([^\s{}]+)[^{}]*\}\}$/,
    read: ([, spec = '']) => readFileSpec(spec),
  },
  {
    pattern: /^<<<[ \t]*([^\s#{[]+)(?:#([\w.-]+))?[ \t]*(?:\{[^{}]*\})?[ \t]*(?:\[([^\][]+)\])?$/,
    read: ([, path = '', region, label]) => ({
      path: unquoted(path),
      part: region ? { region } : {},
      listing: label ? { label } : {},
    }),
  },
  {
    pattern: /^<!--[ \t]*@include:[ \t]*([^\s#{}]+?)(?:#([\w.-]+))?(?:\{([\d, ]+)\})?[ \t]*-->$/,
    read: ([, path = '', region, lines]) => ({
      path,
      part: region ? { region } : lines ? { ranges: readRanges(lines, ',') } : {},
    }),
  },
  {
    inFences: true,
    pattern: /^\{\{<[ \t]*include[ \t]+([^\s<>{}"']+)[ \t]*>\}\}$/,
    read: ([, path = '']) => ({ path, part: {} }),
  },
  {
    pattern: /^<include\s[^<>]{1,500}>(?:<\/include>)?$/,
    read: ([text]) => {
      const { from = '', 'element-id': element = '' } = readTag(text, 0)?.attributes ?? {}
      return { path: from, part: { element } }
    },
  },
  { pattern: /^\[!INCLUDE[ \t]*\[[^\][]*\]\(([^()\s]+)\)\]$/i, read: ([, path = '']) => ({ path, part: {} }) },
]

const maxLength = 600
const trigger = /8<-|\{!|\{\*|\{\{|^<<<|@include|!INCLUDE|<include\s/i

/** A fast test for texts without directives. */
export const mayInclude = (text: string): boolean => trigger.test(text) || text.includes('<<<')

/** Reads a line as an include of MkDocs, mdBook, FastAPI's docs, VitePress, DocFX, Quarto or Writerside. */
export function readIncludeDirective(line: string, { inFence = false } = {}): IncludeDirective | undefined {
  const text = line.trim()
  if (text.length > maxLength || !trigger.test(text)) return undefined
  for (const { pattern, read, inFences } of grammars) {
    const match = inFence && !inFences ? null : pattern.exec(text)
    if (match) return read(match)
  }
  return undefined
}

/** True if a line opens or closes a block of snippet paths, one path per line. */
export const isSnippetFence = (line: string): boolean => /^-+8<-+$/.test(line.trim())

const rangesIn = (text: string | undefined): FilePart => (text ? { ranges: readRanges(text.replaceAll('-', ':'), ':') } : {})
