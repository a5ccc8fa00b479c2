import { equal, match } from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { makeKeyPair } from '../../shared/keys/key-pair.ts'
import { baseImage } from './base-image.ts'
import { buildImage } from './build-image.ts'
import { installPrograms } from './debian-packages.ts'
import { offlineLicense } from './offline-license.ts'
import { printSizes } from './print-sizes.ts'
import { run, runToEnd } from './run.ts'
import { check, counts } from './tally.ts'

/**
 * Builds the images of the on-premise server and of the hosted half, and runs them in a network with only loopback: `npm run test:image`.
 * It needs root on Debian, and installs the programs that are missing. `BASE=IMAGE` replaces the base that it makes, `--model` is that of
 * `npm run image`.
 */
const debian = /^ID(_LIKE)?=.*debian/m.test(readFileSync('/etc/os-release', 'utf8'))
if (process.getuid?.() !== 0 || !debian) {
  console.error('npm run test:image needs root on Debian: it installs packages, mounts disks and runs containers.')
  process.exit(1)
}
const { values } = parseArgs({ options: { model: { type: 'string', default: 'hub' } } })
installPrograms()
const base = process.env.BASE ?? baseImage()
const [license, bundle] = [makeKeyPair(), makeKeyPair()]
const licenseKey = await offlineLicense(license.privatePem)
const images = {
  onprem: 'docker.io/library/carrel-test:onprem',
  worker: 'localhost/carrel-test:worker',
  service: 'localhost/carrel-test:service',
}
const dockerfile = 'onprem/Dockerfile'
const buildArchive = new URL('../../packaging/image/build-archive.ts', import.meta.url).pathname
const folder = mkdtempSync(join(tmpdir(), 'carrel-image-'))
for (const [name, { publicPem }] of Object.entries({ license, bundle })) writeFileSync(join(folder, `${name}.pub.pem`), publicPem)

await check('a build without the keys of a vendor fails with a sentence', async () => {
  const { code, output } = await buildImage({ dockerfile, base, target: 'build' })
  match(output, /^carrel: An image needs the vendor's public keys/m)
  equal(code, 1)
})
await check('a build takes one key from its argument and the other from a mounted folder', async () => {
  // The argument is another one each time. Otherwise the build without keys would find this one in the cache.
  const argument = `VENDOR_LICENSE_KEY=${license.publicPem}`
  const volume = `${folder}:/vendor:ro`
  const { code, output } = await buildImage({ dockerfile, base, target: 'build', 'build-arg': argument, volume })
  equal(code, 0, output)
})
await check('npm run image builds the image of the server and writes its archive', async () => {
  const words = [
    '--keys',
    folder,
    '--out',
    folder,
    '--base',
    base,
    '--tag',
    'carrel-test:onprem',
    '--builder',
    'buildah',
    '--model',
    values.model,
  ]
  const { code, output } = await runToEnd(1_800, process.execPath, buildArchive, ...words)
  equal(code, 0, output)
})
await check('the archive has the checksum next to it, and is loaded', () => {
  const [sums = ''] = globSync('*.sha256', { cwd: folder })
  run('sh', '-c', `cd ${folder} && sha256sum --check ${sums}`)
  run('podman', 'rmi', '--force', images.onprem)
  run('sh', '-c', `gunzip --stdout ${join(folder, sums.replace(/\.sha256$/, ''))} | podman load`)
  rmSync(folder, { recursive: true })
})
await check('its size and its parts', () => printSizes(images.onprem))
for (const target of ['worker', 'service'] as const)
  await check(`the image of the hosted ${target} is built`, async () => {
    const { code, output } = await buildImage({ dockerfile: 'functions/worker/Dockerfile', base, target, tag: images[target] })
    equal(code, 0, output)
  })

const checks = new URL('run-checks.ts', import.meta.url).pathname
const program = [process.execPath, checks, images.onprem, images.worker, images.service, licenseKey, values.model, ...counts()]
const { status } = spawnSync('unshare', ['--net', 'sh', '-c', 'ip link set lo up && exec "$@"', 'sh', ...program], {
  stdio: 'inherit',
})
process.exit(status ?? 1)
