import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import type { Table } from '../../../functions/dynamo/table.ts'

/** The fate of a command: it succeeds, or it fails before or after it took effect. */
export type Fate = undefined | { error: Error; takesEffect: boolean }

/** A table whose nth command, from 1 on, meets a fate; `commands` holds the names of those sent. */
export function faultyTable({ db, name }: Table, fateOf: (nth: number, command: string) => Fate): Table & { commands: string[] } {
  const commands: string[] = []
  const send = async (command: { constructor: { name: string } }, ...rest: unknown[]) => {
    const kind = command.constructor.name.replace('Command', '')
    const fate = fateOf(commands.push(kind), kind)
    const attempt = () => (db.send as (...all: unknown[]) => Promise<unknown>)(command, ...rest)
    if (!fate) return attempt()
    if (fate.takesEffect) await attempt()
    throw fate.error
  }
  const handle = new Proxy(db, { get: (target, key) => (key === 'send' ? send : Reflect.get(target, key)) })
  return { db: handle as DynamoDBDocumentClient, name, commands }
}

export const awsError = (name: string, status = 400): Error =>
  Object.assign(new Error(`${name} of the test`), { name, $metadata: { httpStatusCode: status } })

export const isWrite = (command: string): boolean => command === 'Update' || command === 'Put'
