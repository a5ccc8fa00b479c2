import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb'
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'

export type Call = {
  /** `Query`, `UpdateItem` … without "Item" and "Command". */
  command: string
  /** The partition key, if the call is for one item. */
  pk: string
  sk: string
  /**
   * The units that DynamoDB bills: per started kB written, or per started 4 kB read, half of that if the read may be
   * inconsistent.
   */
  units: number
  isWrite: boolean
}

type Input = { Key?: Record<string, unknown>; Item?: Record<string, unknown>; ReturnConsumedCapacity?: string }
type Output = { ConsumedCapacity?: { CapacityUnits?: number } | { CapacityUnits?: number }[] }
type Send = (command: { input: Input }, options?: unknown) => Promise<Output>

/**
 * Records every call to DynamoDB by this process during `work`, with the capacity for the sizes of its items. A write whose condition
 * fails costs as much as the last write of its item.
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
