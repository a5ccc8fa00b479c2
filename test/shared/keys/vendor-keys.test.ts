import { execFileSync, spawn } from 'node:child_process'
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { makeKeyPair } from '../../../shared/keys/key-pair.ts'
import { vendorKeyFiles, vendorKeys } from '../../../shared/keys/vendor-keys.ts'
import { tempDir } from '../../fixtures/temp-dir.ts'

const [own, named, installed] = [makeKeyPair(), makeKeyPair(), makeKeyPair()]

let dataDir: string
let folder: string

beforeEach(() => {
  dataDir = tempDir()
  folder = join(dataDir, 'vendor')
})

function writeKeys(to: string, publicPem: string) {
  mkdirSync(to)
  for (const name of ['license', 'bundle'] as const) writeFileSync(join(to, `${name}.pub.pem`), publicPem)
}

const variables = (path: string) => ({ VENDOR_LICENSE_KEY_FILE: path, VENDOR_BUNDLE_KEY_FILE: path })
const read = (env = {}, installDir?: string) =>
  vendorKeys({ keyFiles: vendorKeyFiles(env), dataDir, ...(installDir !== undefined && { installDir }) })

test('a key file may have a new key and the one that it replaces', () => {
  writeKeys(folder, own.publicPem + installed.publicPem)
  const both = [own.publicPem, installed.publicPem]
  expect(read()).toEqual({ development: false, license: both, bundle: both })
})

test('keys are read from the environment, else from DATA_DIR/vendor, else from the install', () => {
  const installDir = join(dataDir, 'install')
  const file = join(dataDir, 'named.pem')
  writeKeys(installDir, installed.publicPem)
  writeKeys(folder, own.publicPem)
  writeFileSync(file, named.publicPem)
  const keys = (pem: string) => ({ development: false, license: [pem], bundle: [pem] })
  expect(read(variables(file), installDir)).toEqual(keys(named.publicPem))
  expect(read(variables(''), installDir)).toEqual(keys(own.publicPem))
  rmSync(folder, { recursive: true })
  expect(read({}, installDir)).toEqual(keys(installed.publicPem))
})

const bothKeys = '(DATA_DIR/vendor must hold license.pub.pem and bundle.pub.pem)'

test.each<[string, () => void, () => string]>([
  ['an empty folder', () => mkdirSync(folder), () => `The file ${folder}/license.pub.pem does not exist ${bothKeys}.`],
  [
    'a folder with one of two keys',
    () => {
      writeKeys(folder, own.publicPem)
      rmSync(join(folder, 'bundle.pub.pem'))
    },
    () => `The file ${folder}/bundle.pub.pem does not exist ${bothKeys}.`,
  ],
  [
    'a link to a folder that is not mounted',
    () => symlinkSync(join(dataDir, 'unmounted'), folder),
    () => `The file ${folder}/license.pub.pem does not exist ${bothKeys}.`,
  ],
  [
    'a file instead of the folder',
    () => writeFileSync(folder, ''),
    () => `The file ${folder}/license.pub.pem does not exist ${bothKeys}.`,
  ],
  [
    'another file',
    () => writeKeys(folder, 'x'),
    () => `${folder}/license.pub.pem is not the vendor's Ed25519 public key in PEM.`,
  ],
  [
    'a private key in the file of the public one',
    () => writeKeys(folder, own.privatePem),
    () => `${folder}/license.pub.pem is a private key. Use the public one, *.pub.pem ${bothKeys}.`,
  ],
  [
    'a private key next to the public ones',
    () => {
      writeKeys(folder, own.publicPem)
      writeFileSync(join(folder, 'bundle.pem'), own.privatePem)
    },
    () => `${folder}/bundle.pem is a private key. Move it out of DATA_DIR: a server needs only the public keys, *.pub.pem.`,
  ],
])('%s in DATA_DIR is reported in one sentence', (_, damage, sentence) => {
  damage()
  expect(() => read()).toThrow(sentence())
})

test.each<[string, () => Record<string, string>, () => string]>([
  [
    'one variable without the other',
    () => ({ VENDOR_BUNDLE_KEY_FILE: 'x' }),
    () => 'VENDOR_BUNDLE_KEY_FILE is set, but VENDOR_LICENSE_KEY_FILE is not. Set both, or neither.',
  ],
  ['a missing file', () => variables('no.pem'), () => 'The file no.pem does not exist (VENDOR_LICENSE_KEY_FILE).'],
  ['a folder', () => variables(dataDir), () => `The file ${dataDir} is a directory (VENDOR_LICENSE_KEY_FILE).`],
])('%s in the environment is reported in one sentence', (_, env, sentence) => {
  expect(() => read(env())).toThrow(sentence())
})

test('a device is rejected unread', () => {
  // /dev/zero would fill the memory if it were read.
  expect(() => read(variables('/dev/null'))).toThrow('/dev/null is not a regular file (VENDOR_LICENSE_KEY_FILE).')
})

test('a pipe is rejected unread', () => {
  const pipe = join(dataDir, 'pipe')
  execFileSync('sh', ['-c', 'mkfifo "$0"', pipe])
  // A reader without a writer would block the tests instead of failing this one.
  const writer = spawn('sh', ['-c', 'echo x > "$0"', pipe])
  onTestFinished(() => void writer.kill('SIGKILL'))
  expect(() => read(variables(pipe))).toThrow(`${pipe} is not a regular file (VENDOR_LICENSE_KEY_FILE).`)
})
