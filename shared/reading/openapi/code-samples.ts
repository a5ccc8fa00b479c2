import type { Block } from '../page/page.ts'
import type { References } from './references.ts'
import { entriesOf, textOf, type Values } from './values.ts'

type Sample = { language: unknown; label: unknown; code: unknown }

/** Languages that API tools name after a client. */
const languages: Record<string, string> = {
  curl: 'bash',
  shell: 'bash',
  'node.js': 'javascript',
  node: 'javascript',
  'c#': 'csharp',
}

/** The code samples that tools for API documentation keep in extensions. The variants of one example are a group. */
export function codeSamples(operation: Values, refs: References): Block[] {
  const listed = refs.list(operation['x-codeSamples'] ?? operation['x-code-samples']).map(refs.resolve)
  const readme = refs.resolve(operation['x-readme'])
  const inReadme = refs.list(readme['code-samples'] ?? readme.samples).map(refs.resolve)
  const groups = [
    listed.map(({ lang, label, source }): Sample => ({ language: lang, label, code: refs.text(source) })),
    inReadme.map(({ language, name, code }): Sample => ({ language, label: name, code: refs.text(code) })),
  ]
  const blocks = groups.flatMap((samples, i) => samples.flatMap((sample) => sampleBlock(sample, i + 1)))
  return [...blocks, ...metaSamples(refs.resolve(operation['x-oaiMeta']), groups.length, refs)]
}

/** `examples`: one or a list of `{title, request: {curl: …}, response}`. */
function metaSamples({ examples }: Values, groups: number, refs: References): Block[] {
  const all = Array.isArray(examples) ? examples : [examples]
  return all.map(refs.resolve).flatMap(({ title, request, response }, i) => {
    const name = textOf(title)
    const requests = entriesOf(request).map(([language, code]): Sample => ({ language, label: named(name, language), code }))
    const reply = { language: /^\s*[[{]/.test(textOf(response)) ? 'json' : '', label: named(name, 'response'), code: response }
    return [...requests.flatMap((sample) => sampleBlock(sample, groups + i + 1)), ...sampleBlock(reply)]
  })
}

const named = (title: string, part: string): string => (title === '' ? part : `${title}, ${part}`)

function sampleBlock({ language, label, code }: Sample, group?: number): Block[] {
  if (typeof code !== 'string' || code.trim() === '') return []
  const written = textOf(language)
  const name = textOf(label) || written
  const lower = written.toLowerCase()
  const block = { kind: 'code' as const, code: code.trimEnd(), language: languages[lower] ?? lower, line: 0 }
  return [{ ...block, ...(group !== undefined && { group }), ...(name !== '' && { label: name }) }]
}
