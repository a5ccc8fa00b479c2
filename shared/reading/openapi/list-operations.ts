import type { References } from './references.ts'
import { entriesOf, textOf, type Values } from './values.ts'

const methods = ['get', 'post', 'put', 'patch', 'delete', 'head', 'options', 'trace', 'query'] as const

export type Operation = {
  /** `POST`. */
  method: string
  /** A path, or the name of a webhook or callback. */
  path: string
  values: Values
  /** Parameters of the path, which apply to all its operations. */
  shared: unknown[]
  /** Description of the path. */
  about: string
  /** The operation that a callback belongs to. */
  caller?: Operation
}

/** The operations of a document, each followed by its callbacks. */
export function* listOperations(root: Values, refs: References): Generator<Operation> {
  for (const [path, item] of entriesOf(refs.resolve(root.paths))) yield* operationsOf(path, item, refs)
  for (const [name, item] of entriesOf(refs.resolve(root.webhooks ?? root['x-webhooks'])))
    yield* operationsOf(`webhook ${name}`, item, refs)
}

function* operationsOf(path: string, item: unknown, refs: References, caller?: Operation): Generator<Operation> {
  const resolved = refs.resolve(item)
  for (const method of methods) {
    const values = refs.resolve(resolved[method])
    if (entriesOf(values).length === 0) continue
    const operation = {
      method: method.toUpperCase(),
      path,
      values,
      shared: refs.list(resolved.parameters),
      about: refs.text(resolved.description) || refs.text(resolved.summary),
      ...(caller && { caller }),
    }
    yield operation
    if (caller === undefined) yield* callbacksOf(operation, refs)
  }
}

function* callbacksOf(caller: Operation, refs: References): Generator<Operation> {
  for (const [name, callback] of entriesOf(refs.resolve(caller.values.callbacks)))
    for (const [expression, item] of entriesOf(refs.resolve(callback)))
      yield* operationsOf(`callback ${name} ${expression}`, item, refs, caller)
}

/** `POST /pets`, its operationId, and whether it is deprecated. */
export function operationLine({ method, path, values }: Operation): string {
  const id = textOf(values.operationId)
  return `\`${method} ${path}\`${id === '' ? '' : ` (operationId \`${id}\`)`}${values.deprecated === true ? ', deprecated' : ''}`
}
