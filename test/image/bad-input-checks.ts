import { equal, match, ok } from 'node:assert/strict'
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { makeKeyPair } from '../../shared/keys/key-pair.ts'
import { smallDisk } from '../fixtures/small-disk.ts'
import { answers, dataVolume, runContainer, startContainer } from './container.ts'
import { offlineLicense } from './offline-license.ts'
import type { Subject } from './onprem-checks.ts'
import { check } from './tally.ts'

/** The container ends with exit code 1 and one sentence for each mistake of an operator. */
export async function badInputChecks({ image, licenseKey }: Pick<Subject, 'image' | 'licenseKey'>): Promise<void> {
  const root = mkdtempSync(join(tmpdir(), 'carrel-image-'))
  chmodSync(root, 0o755)
  let count = 0
  /** A folder of the host that every user may write to. */
  const folder = (mode = 0o777) => {
    const path = join(root, `data-${count++}`)
    mkdirSync(path)
    chmodSync(path, mode)
    return path
  }
  const name = () => `carrel-bad-${process.pid}-${count++}`
  const rejected = async (sentence: RegExp, env: Record<string, string>, options: string[] = [], command: string[] = []) => {
    const { code, output } = await runContainer({ image, name: name(), env, options, command })
    match(output, sentence)
    equal(output.trim().split('\n').length, 1, output)
    equal(code, 1)
  }
  const license = { LICENSE_KEY: licenseKey }

  await check('without a license it ends with a sentence', () => rejected(/^carrel: The license is missing: set LICENSE_KEY/, {}))
  await check('with a bad license it ends with a sentence', () =>
    rejected(/^carrel: The license in LICENSE_KEY is forged or damaged/, { LICENSE_KEY: 'nonsense' }),
  )
  await check('with a bad PUBLIC_URL it ends with a sentence', () =>
    rejected(/^carrel: .*PUBLIC_URL/, { ...license, PUBLIC_URL: 'no address' }),
  )
  await check('with a read-only /data it ends with a sentence', () =>
    rejected(/^carrel: DATA_DIR \/data cannot be used/, license, [dataVolume(folder(), 'ro')]),
  )
  await check('with a /data of another owner it ends with a sentence', () => {
    const path = folder(0o700)
    chownSync(path, 4711, 4711)
    return rejected(/^carrel: DATA_DIR \/data cannot be used/, license, [dataVolume(path), '--user=54321:54321'])
  })
  await check('with files of another user in a /data that all may write to it ends with a sentence', () => {
    const path = folder()
    writeFileSync(join(path, 'server.lock'), '', { mode: 0o600 })
    return rejected(/^carrel: DATA_DIR \/data cannot be used: its files belong/, license, [
      dataVolume(path),
      '--user=54321:54321',
    ])
  })
  await check('with a full /data it ends with a sentence', async () => {
    const path = folder()
    const unmount = smallDisk(path, 1)
    ok(unmount, 'this test needs the right to mount')
    try {
      chmodSync(path, 0o777)
      writeFileSync(join(path, 'filler'), Buffer.alloc(1_044_480))
      await rejected(/^carrel: .*(full|space|disk)/i, license, [dataVolume(path)])
    } finally {
      unmount()
    }
  })
  await check('keys in a mounted folder replace those of the image, and decide which license is valid', async () => {
    const path = folder()
    const pairs = { license: makeKeyPair(), bundle: makeKeyPair() }
    for (const [pair, { publicPem }] of Object.entries(pairs)) writeFileSync(join(path, `${pair}.pub.pem`), publicPem)
    const files = { VENDOR_LICENSE_KEY_FILE: '/vendor/license.pub.pem', VENDOR_BUNDLE_KEY_FILE: '/vendor/bundle.pub.pem' }
    await rejected(/^carrel: The license .*sign/, { ...license, ...files }, [`--volume=${path}:/vendor:ro`])
    const env = { ...files, LICENSE_KEY: await offlineLicense(pairs.license.privatePem) }
    const container = startContainer({ image, name: name(), env, options: [`--volume=${path}:/vendor:ro`] })
    await answers(container, 'http://127.0.0.1:3000')
    equal((await container.end('TERM')).code, 0)
  })
  await check('a container whose server does not answer is unhealthy', async () => {
    const container = startContainer({
      image,
      name: name(),
      env: license,
      options: ['--entrypoint', 'sleep'],
      command: ['30'],
    })
    try {
      let code = 125
      for (let tries = 0; code === 125 && tries < 50; tries++) code = (await container.checkHealth()).code ?? 125
      equal(code, 1)
    } finally {
      await container.end('KILL')
    }
  })
  await check('with GID 0 and any UID it starts on a folder of that group', async () => {
    const path = folder(0o770)
    chownSync(path, 0, 0)
    const container = startContainer({ image, name: name(), env: license, options: ['--user=1000650000:0', dataVolume(path)] })
    await answers(container, 'http://127.0.0.1:3000')
    equal((await container.end('TERM')).code, 0)
  })
  rmSync(root, { recursive: true })
}
