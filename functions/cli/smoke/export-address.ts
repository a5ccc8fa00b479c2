import { AppError } from '../../../shared/errors.ts'
import { isMetadataHost } from '../../../shared/network/metadata-address.ts'
import { isLoopbackHost } from '../../../shared/network/private-address.ts'

const s3Host = /^([a-z0-9.-]+\.)?s3[.-]([a-z0-9-]+\.)*amazonaws\.com(\.cn)?$/

/**
 * The address that a stage redirects an export to: of the stage itself, over https of S3, or of this machine for a stage on it. Throws
 * command_failed for any other, because no setting names its host.
 */
export function exportAddress(baseUrl: string, location: string | null): URL {
  const base = new URL(baseUrl)
  const target = location === null ? null : URL.parse(location, base.href)
  if (!target) throw new AppError('command_failed', `${base.host} redirects the export to no address.`)
  const isOfS3 = target.protocol === 'https:' && target.port === '' && s3Host.test(target.hostname)
  const isHere = target.protocol === base.protocol && [base, target].every(({ hostname }) => isLoopbackHost(hostname))
  if ((target.origin === base.origin || isOfS3 || isHere) && !isMetadataHost(target.hostname)) return target
  throw new AppError(
    'command_failed',
    `${base.host} redirects the export to ${target.origin}, which is neither of the stage nor of S3.`,
  )
}
