import type { Script } from '../../text/read-script.ts'

/** Finds values in a program without running it. A value is the index of its first token. */
export type ScriptValues = {
  /** Object literals that these values are: directly, as a constant, as arguments of a call, or returned by a function; spread ones last. */
  objects(values: number[]): number[]
  /** The values of a property in objects. */
  properties(objects: number[], name: string): number[]
  /** The string that a value is: a literal, several joined by `+`, or a constant. */
  text(value: number): string | undefined
}

/** Constants that name other constants, and strings that are joined. */
const maxDepth = 8
const maxTextLength = 2_000
/** Tokens of a type: `const config: Config<Theme> =`, `defineConfig<Theme>(`. */
const maxTypeTokens = 100
const ends = new Set([',', '}', ')', ']', ';'])
const names = new Set(['name', 'string', 'num'])

export function scriptValues({ tokens, closing }: Script): ScriptValues {
  const constants = constantsOf({ tokens, closing })
  const typeAt = (at: number) => tokens[at]?.type ?? ''
  const after = (at: number) => (closing.get(at) ?? at) + 1

  /** The next `,` or closing bracket on the level of this token. */
  const endOfItem = (from: number): number => {
    let at = from
    while (at < tokens.length && !ends.has(typeAt(at))) at = after(at)
    return at
  }
  const itemsOf = (open: number): number[] => {
    const items: number[] = []
    const close = closing.get(open) ?? tokens.length
    for (let at = open + 1; at < close; at = endOfItem(at) + 1) items.push(at)
    return items
  }

  const objects = (values: number[]): number[] => {
    const objects: number[] = []
    const seen = new Set<number>()
    const pending = values.toReversed()
    for (let at = pending.pop(); at !== undefined; at = pending.pop()) {
      if (seen.has(at)) continue
      seen.add(at)
      for (const next of objectsOf(at, objects).toReversed()) pending.push(next)
    }
    return objects
  }

  /** Adds the object that a value is, and returns the values to look at instead or after it. */
  const objectsOf = (at: number, objects: number[]): number[] => {
    const { type, value } = tokens[at] ?? { type: '', value: '' }
    if (type === '{') {
      objects.push(at)
      return itemsOf(at)
        .flatMap((item) => (typeAt(item) === '...' ? [item + 1] : []))
        .toReversed()
    }
    if (type === 'function' || value === 'async' || typeAt(after(at)) === '=>' || isTypedArrow(at)) return resultOf(at)
    if (type === '(') return [at + 1]
    if (value === 'await') return [at + 1]
    if (type !== 'name') return []
    const call = callAfter(at + 1)
    if (call !== undefined) return itemsOf(call)
    const constant = isWhole(at + 1) ? constants.get(value) : undefined
    return constant === undefined ? [] : [constant]
  }

  /** The opening bracket of the arguments, after type arguments. */
  const callAfter = (from: number): number | undefined => {
    if (typeAt(from) === '(') return from
    if (tokens[from]?.value !== '<') return undefined
    const at = skipTo(from, ['('])
    return typeAt(at) === '(' ? at : undefined
  }
  /** The first of these tokens on the level of `from`, or where its item ends. */
  const skipTo = (from: number, types: string[]): number => {
    let at = from
    for (let count = 0; count < maxTypeTokens && !types.includes(typeAt(at)) && !ends.has(typeAt(at)); count++) at = after(at)
    return at
  }
  const isTypedArrow = (at: number): boolean => typeAt(at) === '(' && typeAt(after(at)) === ':'

  /** The body of an arrow function that is an expression, or what a function returns. */
  const resultOf = (from: number): number[] => {
    const at = skipTo(from, ['=>', '{'])
    if (typeAt(at) === '=>' && typeAt(at + 1) !== '{') return [at + 1]
    const open = typeAt(at) === '=>' ? at + 1 : at
    if (typeAt(open) !== '{') return []
    const returned: number[] = []
    const close = closing.get(open) ?? tokens.length
    for (let next = open + 1; next < close; next = after(next)) if (typeAt(next) === 'return') returned.push(next + 1)
    return returned
  }

  const properties = (within: number[], name: string): number[] =>
    within.flatMap((open) =>
      itemsOf(open).flatMap((item) => {
        if (!names.has(typeAt(item)) || tokens[item]?.value !== name) return []
        if (typeAt(item + 1) === ':') return [item + 2]
        return ends.has(typeAt(item + 1)) ? [item] : []
      }),
    )

  /** True if a value has ended before this token. */
  const isWhole = (at: number): boolean => {
    const { type, value, newline } = tokens[at] ?? { type: ';', value: '', newline: true }
    if (ends.has(type) || value === 'as' || value === 'satisfies') return true
    return newline && (type === 'name' || /^[a-z]+$/.test(type))
  }

  const text = (value: number, depth = 0): string | undefined => {
    const { type, value: own } = tokens[value] ?? { type: '', value: '' }
    if (depth > maxDepth) return undefined
    const isTemplate = type === '`' && typeAt(value + 1) === 'template' && typeAt(value + 2) === '`'
    const next = value + (isTemplate ? 3 : 1)
    const constant = type === 'name' ? constants.get(own) : undefined
    const part =
      type === 'string'
        ? own
        : isTemplate
          ? tokens[value + 1]?.value
          : constant === undefined
            ? undefined
            : text(constant, depth + 1)
    if (part === undefined || isWhole(next)) return part?.slice(0, maxTextLength)
    const rest = tokens[next]?.value === '+' ? text(next + 1, depth + 1) : undefined
    return rest === undefined || part.length + rest.length > maxTextLength ? undefined : part + rest
  }

  return { objects, properties, text: (value) => text(value) }
}

/** The position at which the value of each constant starts. A name that is declared more than once is unknown. */
function constantsOf({ tokens, closing }: Script): Map<string, number> {
  const constants = new Map<string, number | undefined>()
  tokens.forEach(({ type }, at) => {
    const name = tokens[at + 1]
    if (type !== 'const' || name?.type !== 'name') return
    let next = at + 2
    const isType = () => tokens[next] !== undefined && tokens[next]?.type !== '=' && !ends.has(tokens[next]?.type ?? '')
    for (let count = 0; count < maxTypeTokens && isType(); count++) next = (closing.get(next) ?? next) + 1
    constants.set(name.value, constants.has(name.value) || tokens[next]?.type !== '=' ? undefined : next + 1)
  })
  return new Map([...constants].flatMap(([name, at]) => (at === undefined ? [] : [[name, at] as const])))
}
