import type { Context } from 'hono'
import { networkOf } from '../../shared/http/client-address.ts'
import { utcDay } from '../../shared/time/utc-day.ts'
import { userKey } from '../../shared/usage/record-usage.ts'
import type { Salts } from '../../shared/usage/salts.ts'
import { viewerAddress } from './request-usage.ts'

export type NetworkHashPorts = { salts: Pick<Salts, 'saltOf'>; originSecrets: readonly string[] | undefined; now(): Date }

/** Hashes the network of a caller with the salt of the day. */
export async function networkHash({ salts, originSecrets, now }: NetworkHashPorts, c: Context): Promise<string> {
  const address = networkOf(viewerAddress(c, originSecrets !== undefined))
  return userKey({ salt: await salts.saltOf(utcDay(now())), address, userAgent: '' })
}
