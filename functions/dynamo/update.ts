import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb'
import { UpdateCommand } from '@aws-sdk/lib-dynamodb'
import type { ItemKey } from './read-items.ts'
import type { Table } from './table.ts'

export type Item = Record<string, unknown>

/** A condition on an attribute. `orAbsent` also accepts a missing attribute. */
export type Condition = { name: string; is: 'absent' | '=' | '<' | '<=' | '>='; value?: unknown; orAbsent?: boolean }

export type Update = { add?: Map<string, number>; set?: Map<string, unknown>; remove?: string[]; conditions: Condition[] }

/** Returns the updated item; undefined if a condition failed and nothing was written. */
export async function update({ db, name }: Table, key: ItemKey, change: Update): Promise<Item | undefined> {
  const expressions = expressionsOf(change)
  try {
    const { Attributes } = await db.send(
      new UpdateCommand({ TableName: name, Key: key, ...expressions, ReturnValues: 'ALL_NEW' }),
    )
    return Attributes ?? {}
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return undefined
    throw error
  }
}

/** Names and values are passed as placeholders, so that no name is parsed as part of an expression. Equal ones share a placeholder. */
function expressionsOf({ add = new Map(), set = new Map(), remove = [], conditions }: Update) {
  const names = new Map<string, string>()
  const values = new Map<unknown, string>()
  const name = (text: string) => placeholder(names, text, '#')
  const value = (attributeValue: unknown) => placeholder(values, attributeValue, ':')
  const clauses = [
    ['ADD', Array.from(add, ([attribute, count]) => `${name(attribute)} ${value(count)}`)],
    ['SET', Array.from(set, ([attribute, attributeValue]) => `${name(attribute)}=${value(attributeValue)}`)],
    ['REMOVE', remove.map(name)],
  ] as const
  const holds = conditions.map((each) => {
    if (each.is === 'absent') return `attribute_not_exists(${name(each.name)})`
    const compared = `${name(each.name)}${each.is}${value(each.value)}`
    return each.orAbsent ? `(attribute_not_exists(${name(each.name)}) OR ${compared})` : compared
  })
  return {
    UpdateExpression: clauses.flatMap(([verb, parts]) => (parts.length === 0 ? [] : `${verb} ${parts.join(',')}`)).join(' '),
    ...(holds.length > 0 && { ConditionExpression: holds.join(' AND ') }),
    ExpressionAttributeNames: Object.fromEntries(Array.from(names, ([text, word]) => [word, text])),
    ...(values.size > 0
      ? { ExpressionAttributeValues: Object.fromEntries(Array.from(values, ([attributeValue, word]) => [word, attributeValue])) }
      : {}),
  }
}

function placeholder<Key>(words: Map<Key, string>, key: Key, mark: string): string {
  const word = words.get(key) ?? mark + words.size.toString(36)
  words.set(key, word)
  return word
}
