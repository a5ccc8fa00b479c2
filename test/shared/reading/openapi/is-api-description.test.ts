import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { isApiDescription } from '../../../../shared/reading/openapi/is-api-description.ts'
import { tempDir } from '../../../fixtures/temp-dir.ts'

async function isFound(name: string, content: string | Buffer): Promise<boolean> {
  const file = join(tempDir(), name)
  writeFileSync(file, content)
  return isApiDescription(file, Buffer.byteLength(content))
}

describe('the detection of API descriptions by a key of the outermost object', () => {
  test.each([
    ['a.json', '{"openapi": "3.0.1"}', true],
    ['a.json', '{\n  "info": {},\n  "swagger" : "2.0"', true],
    ['a.json', '{"info": {"title": "a \\" } b"}, "openapi":"3.1.0"}', true],
    ['a.json', '{"asyncapi": "3.0.0"}', true],
    ['a.yaml', "asyncapi: '2.6.0'", true],
    ['a.json', '{"name": "openapi"}', false],
    ['a.json', '{"name": "openapi", "version": "3.0.0"}', false],
    ['a.json', '{"openapi": "^4.0.0"}', false],
    ['a.json', '{"dependencies": {"openapi": "3.0.0"}}', false],
    ['a.json', '{"text": "\\"openapi\\": \\"3.0.0\\""}', false],
    ['a.json', '[{"openapi": "3.0.1"}]', false],
    ['a.yaml', 'openapi: 3.1.0', true],
    ['a.yml', "# API\n'swagger': '2.0'", true],
    ['a.yaml', 'info:\r\n  title: x\r\nopenapi: 3.1.0\r\n', true],
    ['a.yaml', 'spec:\n  openapi: 3.1.0', false],
    ['a.yaml', '- openapi: 3.1.0', false],
    ['a.yaml', '{"openapi": "3.1.0"}', true],
    ['a.yaml', '# API\n--- {"info": {},\n"openapi": "3.1.0"}', true],
    ['a.yaml', '{"spec": {"openapi": "3.1.0"}}', false],
    ['a.yaml', '%YAML 1.2\n# API\n---\nopenapi: 3.1.0', true],
    ['a.yaml', '--- # API\nopenapi: 3.1.0', true],
    ['a.yaml', 'openapi: 3.1.0\n---\nkind: Service', true],
    ['a.yaml', 'kind: Service\n---\nopenapi: 3.1.0', false],
    ['a.yaml', '---\nkind: Service\n--- # next\n{"openapi": "3.1.0"}', false],
    ['a.yaml', 'x-a: |\n  ---\nopenapi: 3.1.0', true],
  ])('returns for %s with %s: %s', async (name, text, expected) => {
    expect(await isFound(name, text)).toBe(expected)
  })

  test('works in UTF-16 and behind a byte order mark', async () => {
    for (const text of ['\uFEFFopenapi: 3.1.0', '\uFEFFinfo: {}\nswagger: "2.0"']) {
      expect(await isFound('a.yaml', text)).toBe(true)
      expect(await isFound('a.yaml', Buffer.from(text, 'utf16le'))).toBe(true)
    }
  })

  test('works wherever the pieces of a reader divide the key', async () => {
    const found: boolean[] = []
    for (let at = 65_510; at < 65_545; at++) {
      found.push(await isFound('a.yaml', `x: ${'x'.repeat(at - 4)}\nopenapi: 3.1.0\n`))
      found.push(await isFound('a.json', `{"x": "${'x'.repeat(at - 9)}", "openapi": "3.1.0"}`))
    }
    expect(found).not.toContain(false)
  })

  test.each([
    ['a.json', `{"x": {"openapi": ${'['.repeat(10_000_000)}`],
    ['a.yaml', `openapi${'\n'.repeat(10_000_000)}`],
  ])('does not block the event loop with ten hostile megabytes of %s', async (name, text) => {
    const file = join(tempDir(), name)
    writeFileSync(file, text)
    let turns = 0
    let ended = false
    const turn = () => {
      turns += 1
      if (!ended) setImmediate(turn)
    }
    turn()
    expect(await isApiDescription(file, text.length)).toBe(false)
    ended = true
    expect(turns).toBeGreaterThan(20)
  })
})
