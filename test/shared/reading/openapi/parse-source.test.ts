import { describe, expect, test } from 'vitest'
import { parseSource } from '../../../../shared/reading/openapi/parse-source.ts'

/** The lines of objects by their `id`. */
function linesOf(text: string, path: string): Record<string, number> {
  const lines: [string, number][] = []
  parseSource(text, path, (value, line) => {
    if ('id' in value) lines.push([String(value.id), line])
  })
  return Object.fromEntries(lines)
}

describe('the line of an object', () => {
  test('is that of its key in YAML', () => {
    const text = '# License\n\nid: root\npaths:\n  "/a":\n    get:\n      id: get\n  list:\n    - x: 1\n      id: item\n'
    expect(linesOf(text, 'a.yaml')).toEqual({ root: 3, get: 6, item: 9 })
  })

  test('is that of the anchor for an alias', () => {
    expect(linesOf('b: { c: &one { id: one } }\na: *one\n', 'a.yml')).toEqual({ one: 1 })
    expect(linesOf('a:\n  b: &one\n    id: one\n    me: *one\n', 'a.yml')).toEqual({ one: 2 })
  })

  test('is that of its key in JSON', () => {
    const text =
      '\n{ "id": "root", "text": "a } \\" {\\n",\n  "p\\u0061ths": {\n    "2":\n      { "id": "two" },\n    "1": { "id": "one" } },\n  "list": [\n    [], { "id": "item" }] }'
    expect(linesOf(text, 'a.json')).toEqual({ root: 2, two: 4, one: 6, item: 8 })
  })
})
