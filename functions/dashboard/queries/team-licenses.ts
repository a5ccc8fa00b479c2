import { mapOrdered } from '../../../shared/time/map-ordered.ts'
import type { LicenseRecord, Licenses } from '../../access/licenses.ts'

export type TeamLicense = Pick<LicenseRecord, 'id' | 'customer' | 'kind' | 'expiresAt'> & {
  state: 'valid' | 'expired' | 'revoked'
}

type TeamLicensesPorts = { licenses: Pick<Licenses, 'issuedTo' | 'find' | 'isRevoked'>; now(): Date }

const concurrentReads = 10

/** The licenses that were issued to a teamspace, the one that ends last first. */
export async function listLicenses({ licenses, now }: TeamLicensesPorts, team: string): Promise<TeamLicense[]> {
  const list: TeamLicense[] = []
  const read = async (id: string) => [await licenses.find(id), await licenses.isRevoked(id)] as const
  for await (const [id, [license, isRevoked]] of mapOrdered(await licenses.issuedTo(team), concurrentReads, read)) {
    if (license === undefined) continue
    const { customer, kind, expiresAt } = license
    const state = isRevoked ? 'revoked' : Date.parse(expiresAt) <= now().getTime() ? 'expired' : 'valid'
    list.push({ id, customer, kind, expiresAt, state })
  }
  return list.sort((a, b) => (a.expiresAt > b.expiresAt ? -1 : 1))
}
