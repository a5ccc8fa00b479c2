import { AppError } from '../../shared/errors.ts'
import { isExpired } from '../../shared/keys/license.ts'
import type { Licenses } from '../access/licenses.ts'

export type OfflineLicensesPorts = { licenses: Pick<Licenses, 'issuedTo' | 'find' | 'isRevoked'>; now(): Date }

/** An offline license that was issued to a teamspace. `endsAt` is when it expires. */
export type OfflineLicense = { id: string; customer: string; endsAt: string; isValid: boolean }

/** The offline licenses of a teamspace, the last to end first. Throws forbidden if none of them is valid. */
export async function requireOfflineLicense(ports: OfflineLicensesPorts, teamspace: string): Promise<OfflineLicense[]> {
  const { licenses, now } = ports
  const ids = await licenses.issuedTo(teamspace)
  const issued = await Promise.all(
    ids.map(async (id): Promise<OfflineLicense[]> => {
      const [license, isRevoked] = await Promise.all([licenses.find(id), licenses.isRevoked(id)])
      if (license?.kind !== 'offline') return []
      const { customer, expiresAt } = license
      return [{ id, customer, endsAt: expiresAt, isValid: !isRevoked && !isExpired(license, now()) }]
    }),
  )
  const offline = issued.flat().sort((a, b) => (a.endsAt > b.endsAt ? -1 : 1))
  if (offline.some(({ isValid }) => isValid)) return offline
  const last = offline[0]
  const why =
    last === undefined ? 'and this teamspace has none.' : `and that of this teamspace ended on ${last.endsAt.slice(0, 10)}.`
  throw new AppError('forbidden', `Exports require a valid offline license, ${why} The operator of this service issues them.`)
}

/** The time until the last valid license ends, in ms. */
export const remainingMs = (licenses: OfflineLicense[], now: Date): number =>
  Math.max(0, ...licenses.map(({ isValid, endsAt }) => (isValid ? Date.parse(endsAt) - now.getTime() : 0)))
