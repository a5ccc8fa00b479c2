import { developmentPublicKey } from '../../../shared/keys/development-pair.ts'
import { isLoopbackHost } from '../../../shared/network/private-address.ts'
import { withDatabaseForReading } from '../../../shared/store/database.ts'
import { resolveLicense } from '../../access/resolve-license.ts'
import { sqliteLicenses } from '../../store/license-records.ts'
import { call } from '../api/connection.ts'
import { type DoctorPorts, type Finding, ok, problem, warning } from './finding.ts'

const dayMs = 86_400_000
const soonDays = 30

/** The license of the running server, else the one that a start would use. */
export async function checkLicense({ install, server, hasDatabase }: DoctorPorts): Promise<Finding> {
  if (server) {
    const { licenseInfo } = await (await call(server.api.health.$get())).json()
    return judge(licenseInfo, install.now())
  }
  const { licenseKey = '', host } = install.env
  const isUnset = licenseKey.trim() === ''
  if (isUnset && install.vendorKeys().development && isLoopbackHost(host))
    return ok('LICENSE_KEY is not set: a start uses a generated offline development license, which is valid on this machine.')
  if (!isUnset && !hasDatabase) return warning('LICENSE_KEY is set; the first start checks it.')
  const vendor = install.vendorKeys()
  const { dataDirPath: dataDir } = install
  const developmentKey = () => developmentPublicKey(dataDir, 'license')
  const resolve = (licenses: Parameters<typeof resolveLicense>[0]['licenses']) =>
    resolveLicense({ ...install, dataDir, developmentKey, vendor, licenses }, install.env)
  const none = { isRevoked: () => false, trustedKeys: () => [] }
  const { license } = hasDatabase
    ? await withDatabaseForReading(dataDir, (db) => resolve(sqliteLicenses(db, install.now)))
    : await resolve(none)
  return judge(license, install.now())
}

function judge({ kind, expiresAt }: { kind: string; expiresAt: string }, now: Date): Finding {
  const days = Math.floor((Date.parse(expiresAt) - now.getTime()) / dayMs)
  const message = `The ${kind} license is valid until ${expiresAt.slice(0, 10)}.`
  if (days < 0) return problem(`The ${kind} license expired on ${expiresAt.slice(0, 10)}.`, 'Set LICENSE_KEY to a new license.')
  return days < soonDays ? warning(message, 'Ask your vendor for a new license.') : ok(message)
}
