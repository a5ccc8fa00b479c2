import { existsSync, readFileSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { AppError } from '../errors.ts'
import { createIfAbsent } from '../system/create-if-absent.ts'
import { ownProblem } from '../system/machine-error.ts'
import { type KeyPair, makeKeyPair, publicHalf } from './key-pair.ts'

export type PairName = 'license' | 'bundle'

/** The key pair of a development install, `dev-<name>.pem` in the data directory. Created if it is missing. */
export function developmentPair(dataDir: string, name: PairName): KeyPair {
  const path = join(dataDir, `dev-${name}.pem`)
  const publicPath = join(dataDir, `dev-${name}.pub.pem`)
  try {
    if (!existsSync(path)) createIfAbsent(path, makeKeyPair().privatePem, 0o600)
    const { privatePem, publicPem } = readPair(path)
    if (!existsSync(publicPath) || readFileSync(publicPath, 'utf8') !== publicPem) {
      rmSync(publicPath, { force: true })
      createIfAbsent(publicPath, publicPem, 0o644)
    }
    return { privatePem, publicPem }
  } catch (error) {
    throw unusable(path, error)
  }
}

/** The public half of an existing development pair. Creates nothing. */
export function developmentPublicKey(dataDir: string, name: PairName): string | undefined {
  const path = join(dataDir, `dev-${name}.pem`)
  try {
    return existsSync(path) ? readPair(path).publicPem : undefined
  } catch (error) {
    throw unusable(path, error)
  }
}

function readPair(path: string): KeyPair {
  const privatePem = readFileSync(path, 'utf8')
  const publicPem = publicHalf(privatePem)
  if (publicPem === undefined) throw new Error('it is not an Ed25519 private key; remove it to create a new pair')
  return { privatePem, publicPem }
}

function unusable(path: string, error: unknown): AppError {
  const problem = ownProblem(error, dirname(path))
  const why = problem ? `${problem.reason}. ${problem.help}` : `${(error as Error).message}.`
  return new AppError('cannot_start', `The development key ${path} cannot be used: ${why}`, { cause: error })
}
