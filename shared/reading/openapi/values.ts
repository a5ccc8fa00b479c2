/** An object of an untrusted document. All access goes through the functions below and `references.ts`. */
export type Values = { readonly [key: string]: unknown }

export const isValues = (value: unknown): value is Values => typeof value === 'object' && value !== null && !Array.isArray(value)
export const valuesOf = (value: unknown): Values => (isValues(value) ? value : {})
export const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])
export const textOf = (value: unknown): string => (typeof value === 'string' ? value.trim() : '')
export const entriesOf = (value: unknown): [string, unknown][] => Object.entries(valuesOf(value))

/** `Pet` of `#/components/schemas/Pet` and of `models/Pet.yaml`; empty if the value is not a reference. */
export function refName(value: unknown): string {
  const [file = '', pointer = ''] = textOf(valuesOf(value).$ref).split('#', 2)
  return pointerKey((/^\/?$/.test(pointer) ? file.replace(/\.(?:ya?ml|json)$/i, '') : pointer).split('/').at(-1) ?? '')
}

/** Decodes a part of a JSON pointer. */
export const pointerKey = (part: string): string => decoded(part).replaceAll('~1', '/').replaceAll('~0', '~')

export function decoded(address: string): string {
  try {
    return decodeURIComponent(address)
  } catch {
    return address
  }
}
