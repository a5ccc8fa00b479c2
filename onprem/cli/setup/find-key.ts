import { AppError } from '../../../shared/errors.ts'
import type { Terminal } from './terminal.ts'

type Env = Record<string, string | undefined>
type Finding = { root: string; given: string | undefined; env: Env; yes: boolean; terminal(): Terminal | undefined }

export type FoundKey = { key: string; from: string }

/** The key from the option, else from the environment. Throws an AppError if its form is wrong. */
export function givenKey({ given, env }: Pick<Finding, 'given' | 'env'>): FoundKey | undefined {
  const sources = [
    ['--api-key', given],
    ['CARREL_API_KEY', env.CARREL_API_KEY],
    ['CONTEXT7_API_KEY', env.CONTEXT7_API_KEY],
  ] as const
  for (const [from, value = ''] of sources) if (value.trim() !== '') return { key: checked(value.trim(), from), from }
  return undefined
}

/** The same, else what the user types. Throws an AppError if there is none. */
export async function findKey(finding: Finding): Promise<FoundKey> {
  const given = givenKey(finding)
  if (given) return given
  const ways = 'Set CARREL_API_KEY to your key'
  const required = `${finding.root} requires an API key`
  if (finding.yes)
    throw new AppError('validation_error', `${required}. ${ways}, or leave out --yes and type it. Nothing was changed.`)
  const terminal = finding.terminal()
  if (!terminal)
    throw new AppError('validation_error', `${required}, and there is no terminal to ask on. ${ways}. Nothing was changed.`)
  const key = await terminal.askHidden(`${required}; the page ${finding.root}/account makes one.\nYour key (not shown): `)
  return { key: checked(key, 'The key'), from: 'what you typed' }
}

/** Headers cannot hold anything else. */
function checked(key: string, from: string): string {
  if (/^[\x21-\x7e]+$/.test(key)) return key
  throw new AppError('validation_error', `${from} contains a character that is not valid in a key. Nothing was changed.`)
}
