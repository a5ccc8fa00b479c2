import { QueryCommand } from '@aws-sdk/client-dynamodb'
import { BatchGetCommand, type DynamoDBDocumentClient, GetCommand, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb'
import type { Table } from '../../../functions/dynamo/table.ts'

type Item = Record<string, unknown>
type Words = Record<string, unknown> | undefined

/** A table that responds immediately and accepts every write, so that a run on it measures only our own work. */
export function instantTable(): Table {
  const items = new Map<string, Item>()
  const nameOf = (key: Item = {}) => `${key.pk} ${key.sk}`
  const itemAt = (key: Item = {}) => {
    const item = items.get(nameOf(key)) ?? { ...key }
    items.set(nameOf(key), item)
    return item
  }
  const send = async (command: unknown): Promise<unknown> => {
    if (command instanceof UpdateCommand) return { Attributes: updated(itemAt(command.input.Key), command.input) }
    if (command instanceof GetCommand) return { Item: items.get(nameOf(command.input.Key)) }
    if (command instanceof PutCommand) {
      items.set(nameOf(command.input.Item), command.input.Item ?? {})
      return {}
    }
    if (command instanceof BatchGetCommand) {
      const [[name, { Keys = [] }] = ['', {}]] = Object.entries(command.input.RequestItems ?? {})
      return { Responses: { [name]: Keys.flatMap((key) => items.get(nameOf(key)) ?? []) } }
    }
    // Asks for days to close: a new library has none.
    if (command instanceof QueryCommand) return { Items: [] }
    throw new Error('The counters send another command.')
  }
  return { name: 'carrel', db: { send } as unknown as DynamoDBDocumentClient }
}

function updated(item: Item, { UpdateExpression = '', ...given }: UpdateCommand['input']): Item {
  const names = given.ExpressionAttributeNames ?? {}
  const values: Words = given.ExpressionAttributeValues ?? {}
  for (const [, verb, parts = ''] of UpdateExpression.matchAll(/(ADD|SET) ([^A-Z]*)/g)) {
    for (const part of parts.trim().split(',')) {
      const [word = '', value = ''] = part.split(verb === 'ADD' ? ' ' : '=')
      const name = names[word] ?? ''
      item[name] = verb === 'ADD' ? Number(item[name] ?? 0) + Number(values[value]) : values[value]
    }
  }
  return item
}
