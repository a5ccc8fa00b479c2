import { parsePath, type ScimPath } from './parse-filter.ts'
import { attributesOf } from './read-body.ts'
import { invalid } from './scim-error.ts'

const patchSchema = 'urn:ietf:params:scim:api:messages:2.0:PatchOp'

/** One change of one attribute. `value` is undefined if it is removed as a whole. */
export type Operation = { op: 'add' | 'replace' | 'remove'; path: ScimPath; value: unknown }

/**
 * The changes of a PATCH request, in their order. An operation without a path has an object of attributes. Microsoft sends `Add`, `Replace` and
 * `Remove`, so case is ignored. Throws ScimError.
 */
export function readPatch(body: unknown): Operation[] {
  const attributes = attributesOf(body)
  const schemas = attributes.get('schemas')
  if (schemas !== undefined && !(Array.isArray(schemas) && schemas.includes(patchSchema)))
    throw invalid('invalidSyntax', `The attribute schemas must name ${patchSchema}.`)
  const operations = attributes.get('operations')
  if (!Array.isArray(operations) || operations.length === 0)
    throw invalid('invalidSyntax', 'The attribute Operations must be a list of operations.')
  return operations.flatMap(readOperation)
}

function readOperation(sent: unknown): Operation[] {
  const operation = attributesOf(sent)
  const op = String(operation.get('op')).toLowerCase()
  if (op !== 'add' && op !== 'replace' && op !== 'remove') throw invalid('invalidSyntax', 'op must be add, replace or remove.')
  const [path, value] = [operation.get('path'), operation.get('value')]
  if (path !== undefined && path !== null && path !== '') {
    if (typeof path !== 'string') throw invalid('invalidPath', 'path must be a text.')
    if (op !== 'remove' && value === undefined) throw invalid('invalidValue', `${op} needs a value.`)
    return [{ op, path: parsePath(path), value }]
  }
  if (op === 'remove') throw invalid('noTarget', 'remove needs a path.')
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw invalid('invalidValue', `${op} without a path needs an object of attributes as its value.`)
  return Object.entries(value).map(([name, each]) => ({ op, path: parsePath(name), value: each }))
}

/** Rejects a change of an attribute that only this server sets. Okta sends the `id` of the resource with other attributes. */
export function rejectReadOnly({ path: { attribute }, value }: Operation, id: string): void {
  if (attribute === 'id' && value === id) return
  if (['id', 'meta', 'groups'].includes(attribute.split('.')[0] ?? ''))
    throw invalid('mutability', `${attribute.slice(0, 50)} cannot be changed.`)
}
