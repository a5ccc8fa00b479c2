import { describe, expect, test } from 'vitest'
import { isOpenapi } from '../../../../shared/ingest/openapi/is-openapi.ts'

describe('OpenAPI is told from other data by its first lines', () => {
  test.each([
    ['a.json', '{"openapi": "3.0.1"}', true],
    ['a.json', '{\n  "info": {},\n  "swagger" : "2.0"', true],
    ['a.json', '{"name": "openapi"}', false],
    ['a.json', '{"openapi": "^4.0.0"}', false],
    ['a.yaml', 'openapi: 3.1.0', true],
    ['a.yml', "# API\n'swagger': '2.0'", true],
    ['a.yaml', 'spec:\n  openapi: 3.1.0', false],
    ['a.yaml', '{"openapi": "3.1.0"}', true],
    ['a.yaml', '%YAML 1.2\n# API\n---\nopenapi: 3.1.0', true],
    ['a.yaml', 'openapi: 3.1.0\n---\nkind: Service', true],
    ['a.yaml', 'kind: Service\n---\nopenapi: 3.1.0', false],
    ['a.yaml', '---\nkind: Service\n--- # next\n{"openapi": "3.1.0"}', false],
    ['a.yaml', 'x-a: |\n  ---\nopenapi: 3.1.0', true],
  ])('%s %s: %s', (path, text, expected) => {
    expect(isOpenapi(text, path)).toBe(expected)
  })
})
