import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { isAbsolute, join, relative, resolve, sep } from 'node:path'
import { type Command, Option } from 'commander'
import { z } from 'zod'
import { AppError } from '../../errors.ts'
import { developmentPair } from '../../keys/development-pair.ts'
import { makeKeyPair, publicHalf, readPublicKey } from '../../keys/key-pair.ts'
import { type License, LicenseName, licenseKinds, signLicense } from '../../keys/license.ts'
import { ownVendorDir } from '../../keys/vendor-keys.ts'
import { BaseUrl } from '../../schemas/base-url.ts'
import { makeFolder } from '../../store/open-data-dir.ts'
import { createIfAbsent } from '../../system/create-if-absent.ts'
import type { Install } from '../install.ts'
import { printAnswer, printRemark } from '../print.ts'
import { readFileOption, readOption, writeFolderOption } from '../read-option.ts'

type IssueOptions = {
  kind: License['kind']
  customer: string
  days: string
  cloudUrl?: string
  teamspace?: string
  key?: string
}

const daysRule = 'must be a whole number of days from 1 to 36500'
const Days = z
  .string()
  .regex(/^\d{1,5}$/, daysRule)
  .transform(Number)
  .pipe(z.int().min(1, daysRule).max(36_500, daysRule))

type Awaitable<T> = T | Promise<T>

/** The issued and trusted licenses of an install. */
export type LicenseRegistry = {
  /** Stores an issued license, so that it can be revoked. */
  record(license: License): Awaitable<void>
  /** False if no license with this id was issued here. */
  revoke(id: string): Awaitable<boolean>
  /** Trusts licenses of another development install permanently. */
  trust(publicPem: string): Awaitable<void>
}

/** Runs work on the license registry of an install. */
export type WithLicenseRegistry = <T>(work: (registry: LicenseRegistry) => Awaitable<T>) => Promise<T>

/** Adds the commands that create, sign, revoke and trust licenses to `license`. */
export function licenseCommands(license: Command, install: Install, withLicenses: WithLicenseRegistry): void {
  license
    .command('keygen')
    .description("create a vendor's key pairs: license.pem, bundle.pem and a .pub.pem for each")
    .option('--out <dir>', 'folder for them', '.')
    .action((options: { out: string }) => {
      const out = readOption('--out', z.string().min(1, 'must name a folder'), options.out)
      rejectDataDir(install, out)
      for (const path of writeFolderOption('--out', out, () => writePairs(out))) printAnswer(path)
    })

  license
    .command('issue')
    .description('sign a license and print it')
    .addOption(new Option('--kind <kind>', 'what the license allows').choices(licenseKinds).makeOptionMandatory())
    .requiredOption('--customer <name>', 'name of the customer')
    .option('--days <n>', 'days until it expires', '365')
    .option('--cloud-url <url>', 'root address of the hosted service')
    .option('--teamspace <name>', 'teamspace at the hosted service')
    .option('--key <file>', 'private key in PEM (default: the development key of this install)')
    .action(async (options: IssueOptions) => {
      const license = readLicense(install, options)
      const token = await signLicense(license, signingKey(install, options.key))
      await withLicenses((registry) => registry.record(license))
      printAnswer(token)
      printRemark(`license ${license.id} for ${license.customer}, ${license.kind}, until ${license.expiresAt}.`)
    })

  license
    .command('revoke')
    .description('revoke a license that was issued here')
    .argument('<id>', 'id from "license issue"')
    .action(async (id: string) => {
      const isKnown = await withLicenses((registry) => registry.revoke(id))
      if (!isKnown) throw new AppError('not_found', `No license with the id "${id}" was issued in this install.`)
    })

  license
    .command('trust')
    .description('trust licenses that another development install has signed')
    .argument('<file>', 'its dev-license.pub.pem')
    .action(async (file: string) => {
      const pem = readPublicKey(readFileOption('license trust', file))
      if (pem === undefined) throw new AppError('validation_error', notPublicKey(file))
      rejectVendorKey(install, 'it trusts no other key')
      await withLicenses((registry) => registry.trust(pem))
    })
}

function readLicense(install: Install, options: IssueOptions): License {
  const days = readOption('--days', Days, options.days)
  const expires = new Date(install.now().getTime() + days * 86_400_000)
  expires.setUTCMilliseconds(0)
  return {
    id: randomUUID(),
    customer: readOption('--customer', LicenseName, options.customer),
    kind: options.kind,
    expiresAt: expires.toISOString(),
    cloudUrl: readOption('--cloud-url', BaseUrl.optional(), options.cloudUrl),
    teamspace: readOption('--teamspace', LicenseName.optional(), options.teamspace),
  }
}

function signingKey(install: Install, file: string | undefined): string {
  if (file === undefined) {
    rejectVendorKey(install, 'name the private key with --key')
    return developmentPair(install.dataDir(), 'license').privatePem
  }
  const pem = readFileOption('--key', file)
  if (publicHalf(pem) !== undefined) return pem
  throw new AppError('validation_error', `--key: ${file} is not an Ed25519 private key in PEM; "license keygen" makes one.`)
}

const notPublicKey = (file: string): string =>
  `license trust: ${file} is not an Ed25519 public key in PEM; use the other install's dev-license.pub.pem.`

function rejectVendorKey(install: Install, then: string): void {
  if (install.vendorKeys().development) return
  throw new AppError('forbidden', `This install has the vendor's license key: ${then}.`)
}

/** Backups and containers hold the data directory, and a server needs no private key of a vendor. */
function rejectDataDir({ dataDirPath }: Install, out: string): void {
  const path = relative(resolve(dataDirPath), resolve(out))
  if (path === '..' || path.startsWith(`..${sep}`) || isAbsolute(path)) return
  throw new AppError(
    'validation_error',
    `--out: ${out} is in DATA_DIR, where private keys do not belong. Choose another folder, such as ~/carrel-vendor, and copy only the public keys (*.pub.pem) to ${ownVendorDir(dataDirPath)}.`,
  )
}

function writePairs(folder: string): string[] {
  const [license, bundle] = [makeKeyPair(), makeKeyPair()]
  const files = [
    { name: 'license.pem', pem: license.privatePem, mode: 0o600 },
    { name: 'license.pub.pem', pem: license.publicPem, mode: 0o644 },
    { name: 'bundle.pem', pem: bundle.privatePem, mode: 0o600 },
    { name: 'bundle.pub.pem', pem: bundle.publicPem, mode: 0o644 },
  ].map(({ name, pem, mode }) => ({ path: join(folder, name), pem, mode }))
  const existing = files.find(({ path }) => existsSync(path))
  if (existing) throw new AppError('validation_error', `--out: ${existing.path} exists already; a key is never overwritten.`)
  makeFolder(folder)
  for (const { path, pem, mode } of files) createIfAbsent(path, pem, mode)
  return files.map(({ path }) => path)
}
