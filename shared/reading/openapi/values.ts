/** An object of an untrusted document. All access goes through the functions below. */
export type Values = { readonly [key: string]: unknown }

/** Follows `$ref` inside the document. Other references stay unresolved. */
export type Resolve = (value: unknown) => Values

const maxHops = 20

export const valuesOf = (value: unknown): Values => (isValues(value) ? value : {})
export const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])
export const textOf = (value: unknown): string => (typeof value === 'string' ? value.trim() : '')
export const entriesOf = (value: unknown): [string, unknown][] => Object.entries(valuesOf(value))

/** `Pet` of `#/components/schemas/Pet`; empty if the value is not a reference. */
export const refName = (value: unknown): string => keyOf(textOf(valuesOf(value).$ref).split('/').at(-1) ?? '')

export function resolver(root: unknown): Resolve {
  return (value) => {
    let values = valuesOf(value)
    for (let hop = 0; hop < maxHops && typeof values.$ref === 'string'; hop += 1) {
      const target = lookUp(root, values.$ref)
      if (target === undefined) return values
      values = target
    }
    return values
  }
}

function lookUp(root: unknown, ref: string): Values | undefined {
  if (!ref.startsWith('#/')) return undefined
  let target: unknown = root
  for (const part of ref.slice(2).split('/')) {
    const key = keyOf(part)
    target = isValues(target) && Object.hasOwn(target, key) ? target[key] : listOf(target)[Number(key)]
  }
  return isValues(target) ? target : undefined
}

/** Decodes a part of a JSON pointer. */
function keyOf(part: string): string {
  try {
    return decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~')
  } catch {
    return part
  }
}

const isValues = (value: unknown): value is Values => typeof value === 'object' && value !== null && !Array.isArray(value)
