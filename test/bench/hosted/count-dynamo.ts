import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb'
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'

export type Call = {
  /** `Query`, `UpdateItem` … without "Item" and "Command". */
  command: string
  /** Of the item, where it is one. */
  pk: string
  sk: string
  /** As DynamoDB counts capacity: by started kB written, or by started 4 kB read, halved where it need not be consistent. */
  units: number
  isWrite: boolean
}

type Input = { Key?: Record<string, unknown>; Item?: Record<string, unknown>; ReturnConsumedCapacity?: string }
type Output = { ConsumedCapacity?: { CapacityUnits?: number } | { CapacityUnits?: number }[] }
type Send = (command: { input: Input }, options?: unknown) => Promise<Output>

/**
 * Every call to DynamoDB of this process while the work goes on, with the capacity that it took by the sizes of its items. A write whose
 * condition does not hold counts like the last one of its item.
 */
export async function countDynamo(work: () => Promise<unknown>): Promise<Call[]> {
  const calls: Call[] = []
  const lastUnits = new Map<string, number>()
  const prototype = DynamoDBDocumentClient.prototype as unknown as { send: Send }
  const { send } = prototype
  prototype.send = async function (this: unknown, command, options) {
    const { pk = '', sk = '' } = command.input.Key ?? command.input.Item ?? {}
    const name = command.constructor.name.replace(/Command$/, '')
    const call = { command: name, pk: String(pk), sk: String(sk), isWrite: /Put|Update|Delete|Write/.test(name) }
    const item = `${pk} ${sk}`
    command.input.ReturnConsumedCapacity = 'TOTAL'
    try {
      const answer = await send.call(this, command, options)
      const units = [answer.ConsumedCapacity ?? []].flat().reduce((sum, each) => sum + (each.CapacityUnits ?? 0), 0)
      lastUnits.set(item, units)
      calls.push({ ...call, units })
      return answer
    } catch (error) {
      if (error instanceof ConditionalCheckFailedException) calls.push({ ...call, units: lastUnits.get(item) ?? 1 })
      throw error
    }
  }
  try {
    await work()
  } finally {
    prototype.send = send
  }
  return calls
}

export const unitsOf = (calls: Call[]): number => calls.reduce((sum, { units }) => sum + units, 0)
