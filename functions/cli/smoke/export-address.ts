import { AppError } from '../../../shared/errors.ts'
import { isMetadataHost } from '../../../shared/network/metadata-address.ts'
import { isLoopbackHost } from '../../../shared/network/private-address.ts'

/** True for the hosts of S3: `s3.amazonaws.com`, with a region, `dualstack.` and a bucket or not, and the older `s3-REGION`. */
function isS3Host(hostname: string): boolean {
  const suffix = ['.amazonaws.com', '.amazonaws.com.cn'].find((end) => hostname.endsWith(end))
  if (suffix === undefined) return false
  const labels = hostname.slice(0, -suffix.length).split('.')
  const [service, ...rest] = labels.slice(labels.lastIndexOf('s3'))
  if (service === 's3') return rest.length <= 1 || (rest.length === 2 && rest[0] === 'dualstack')
  return labels.at(-1)?.startsWith('s3-') === true
}

/**
 * The address that a stage redirects an export to: of the stage itself, over https of S3, or of this machine for a stage on it. Throws
 * command_failed for any other, because no setting names its host.
 */
export function exportAddress(baseUrl: string, location: string | null): URL {
  const base = new URL(baseUrl)
  const target = location === null ? null : URL.parse(location, base.href)
  if (!target) throw new AppError('command_failed', `${base.host} redirects the export to no address.`)
  const isOfS3 = target.protocol === 'https:' && target.port === '' && isS3Host(target.hostname)
  const isHere = target.protocol === base.protocol && [base, target].every(({ hostname }) => isLoopbackHost(hostname))
  if ((target.origin === base.origin || isOfS3 || isHere) && !isMetadataHost(target.hostname)) return target
  throw new AppError(
    'command_failed',
    `${base.host} redirects the export to ${target.origin}, which is neither of the stage nor of S3.`,
  )
}
