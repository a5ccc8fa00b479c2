import { equal, match } from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { makeKeyPair } from '../../shared/keys/key-pair.ts'
import { signLicense } from '../../shared/keys/license.ts'
import { baseImage } from './base-image.ts'
import { buildImage } from './build-image.ts'
import { installPrograms } from './debian-packages.ts'
import { printSizes } from './print-sizes.ts'
import { check, counts } from './tally.ts'

/**
 * Builds the images of the on-premise server and of the hosted worker, and runs them in a network with only loopback: `npm run test:image`.
 * It needs root on Debian, and installs the programs that are missing. `BASE=IMAGE` replaces the base that it makes.
 */
const debian = /^ID(_LIKE)?=.*debian/m.test(readFileSync('/etc/os-release', 'utf8'))
if (process.getuid?.() !== 0 || !debian) {
  console.error('npm run test:image needs root on Debian: it installs packages, mounts disks and runs containers.')
  process.exit(1)
}
installPrograms()
const base = process.env.BASE ?? baseImage()
const [license, bundle] = [makeKeyPair(), makeKeyPair()]
const expiresAt = new Date(Date.now() + 86_400_000).toISOString()
const licenseKey = await signLicense({ id: 'image', customer: 'Acme', kind: 'offline', expiresAt }, license.privatePem)
const images = { onprem: 'localhost/carrel-test:onprem', worker: 'localhost/carrel-test:worker' }
const dockerfile = 'onprem/Dockerfile'
const keys = { VENDOR_LICENSE_KEY: license.publicPem, VENDOR_BUNDLE_KEY: bundle.publicPem }

await check('a build without the keys of a vendor fails with a sentence', async () => {
  const { code, output } = await buildImage({ dockerfile, base, target: 'build' })
  match(output, /^carrel: An image needs the vendor's public keys/m)
  equal(code, 1)
})
await check('the image of the server is built', async () => {
  const { code, output } = await buildImage({ dockerfile, base, args: keys, tag: images.onprem })
  equal(code, 0, output)
})
await check('its size and its parts', () => printSizes(images.onprem))
await check('the image of the hosted worker is built', async () => {
  const { code, output } = await buildImage({ dockerfile: 'functions/worker/Dockerfile', base, tag: images.worker })
  equal(code, 0, output)
})

const checks = new URL('run-checks.ts', import.meta.url).pathname
const program = [process.execPath, checks, images.onprem, images.worker, licenseKey, ...counts()]
const { status } = spawnSync('unshare', ['--net', 'sh', '-c', 'ip link set lo up && exec "$@"', 'sh', ...program], {
  stdio: 'inherit',
})
process.exit(status ?? 1)
