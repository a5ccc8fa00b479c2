import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { AppError } from '../../shared/errors.ts'
import { vendorKeys } from '../../shared/keys/vendor-keys.ts'

/**
 * Puts the vendor's public keys into the package of an image: `node install-vendor-keys.ts DIST`. They come from the arguments of the build,
 * else from the mounted folder /vendor, else from the checkout. Without them the build fails: an image serves others, and no license is valid
 * beyond loopback without a vendor's key.
 */
const [dist = 'dist'] = process.argv.slice(2)
const installDir = join(dist, 'lib/vendor')
const mounted = '/vendor'

try {
  const keyFiles = existsSync(mounted)
    ? { license: join(mounted, 'license.pub.pem'), bundle: join(mounted, 'bundle.pub.pem') }
    : {}
  for (const [name, argument] of [
    ['license', process.env.VENDOR_LICENSE_KEY],
    ['bundle', process.env.VENDOR_BUNDLE_KEY],
  ] as const)
    if (argument) writeFileSync(join(installDir, `${name}.pub.pem`), argument.endsWith('\n') ? argument : `${argument}\n`)
  const { license, bundle } = vendorKeys({ keyFiles, dataDir: '/nonexistent', installDir })
  const missing = [...(license.length === 0 ? ['VENDOR_LICENSE_KEY'] : []), ...(bundle.length === 0 ? ['VENDOR_BUNDLE_KEY'] : [])]
  if (missing.length > 0) {
    throw new AppError(
      'forbidden',
      `An image needs the vendor's public keys. Pass their text with --build-arg ${missing.join(' and --build-arg ')}; docs/container.md shows how.`,
    )
  }
  for (const [name, pems] of [
    ['license', license],
    ['bundle', bundle],
  ] as const)
    writeFileSync(join(installDir, `${name}.pub.pem`), pems.join(''))
} catch (error) {
  if (!(error instanceof AppError)) throw error
  process.stderr.write(`carrel: ${error.message}\n`)
  process.exit(1)
}
