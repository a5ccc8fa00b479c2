import { describe, expect, test } from 'vitest'
import { findOpenapiParts } from '../../../../shared/reading/openapi/find-openapi-parts.ts'
import { contextOf } from '../page-text.ts'

const find = (files: Record<string, string>, path = 'openapi.yaml') => findOpenapiParts(files[path] ?? '', contextOf(path, files))

const root = `openapi: 3.0.0
paths:
  /users: { $ref: 'users.yaml#/paths/~1users' }
  /pets: { get: { responses: { '200': { $ref: "shared/common.json#/components/responses/Ok" } } } }
`

describe('the parts of an OpenAPI document', () => {
  test('are documents without an operation that it does not refer to', () => {
    const files = {
      'openapi.yaml': root,
      'users.yaml': 'openapi: 3.0.0\npaths: { /users: { get: { $ref: deep.yaml } } }\n',
      'deep.yaml': "responses: { '200': { $ref: shared/types.yaml#/components/schemas/A } }\n",
      'shared/common.json': '{ "openapi": "3.0.0", "paths": {}, "components": {} }',
      'shared/types.yaml': 'components: {}\nopenapi: 3.0.0\n',
    }
    expect(find(files).sort()).toEqual(['shared/common.json', 'shared/types.yaml', 'users.yaml'])
  })

  test('are no documents with operations of their own', () => {
    const users = 'openapi: 3.0.0\npaths: { /users: { get: {} }, /admins: { get: {} } }\n'
    expect(find({ 'openapi.yaml': root, 'users.yaml': users })).toEqual([])
    expect(find({ 'openapi.yaml': root, 'users.yaml': `openapi: 3.1.0\nwebhooks: { sold: { post: {} } }\n` })).toEqual([])
  })

  test('are found in the order of references, which may be circular', () => {
    const files = { 'openapi.yaml': root, 'users.yaml': `openapi: 3.0.0\ncomponents: { x: { $ref: openapi.yaml } }\n` }
    expect(find(files)).toEqual(['users.yaml'])
  })
})
