import { printRemark } from '../../../shared/cli/print.ts'
import { AppError } from '../../../shared/errors.ts'
import { keyPrefixes } from '../../../shared/keys/api-key.ts'
import type { Terminal } from './terminal.ts'

type Env = Record<string, string | undefined>
type Finding = {
  root: string
  optionKey: string | undefined
  env: Env
  yes: boolean
  terminal(): Terminal | undefined
  /** The keys that "carrel login" got. */
  kept: { file: string; get(root: string): string | undefined }
}

export type FoundKey = { key: string; from: string }

type KeySources = Pick<Finding, 'optionKey' | 'env'>

/** True if the option or the environment has a key, of any service. */
export const hasKey = ({ optionKey, env }: KeySources): boolean =>
  [optionKey, env.CARREL_API_KEY, env.CONTEXT7_API_KEY].some((value = '') => value.trim() !== '')

/** The key from the option, else from the environment. Throws an AppError if its form is wrong. */
export function givenKey({ optionKey, env }: KeySources): FoundKey | undefined {
  const sources = [
    ['--api-key', optionKey],
    ['CARREL_API_KEY', env.CARREL_API_KEY],
  ] as const
  for (const [from, value = ''] of sources) if (value.trim() !== '') return { key: checked(value.trim(), from), from }
  const other = env.CONTEXT7_API_KEY?.trim() ?? ''
  if (isOurs(withoutQuotes(other))) return { key: checked(other, 'CONTEXT7_API_KEY'), from: 'CONTEXT7_API_KEY' }
  if (other !== '') printRemark('CONTEXT7_API_KEY is not used: its key is of another service.')
  return undefined
}

/** The same, else the key of "carrel login", else the one that the user types. Throws an AppError if there is none. */
export async function findKey(finding: Finding): Promise<FoundKey> {
  const foundKey = givenKey(finding)
  if (foundKey) return foundKey
  const kept = finding.kept.get(finding.root)
  if (kept !== undefined) return { key: checked(kept, finding.kept.file), from: finding.kept.file }
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

/** A key of another service must not reach the deployment. */
const isOurs = (key: string): boolean => Object.values(keyPrefixes).some((prefix) => key.startsWith(prefix))

const withoutQuotes = (key: string): string => key.replace(/^(["'])(.*)\1$/s, '$2')

function checked(key: string, from: string): string {
  const reason = flawOf(key)
  if (reason === undefined) return key
  throw new AppError('validation_error', `${from} ${reason}. Nothing was changed.`)
}

/** The reason why a text is no key, as the end of a sentence. It does not quote the text. */
function flawOf(key: string): string | undefined {
  if (withoutQuotes(key) !== key) return 'is in quotes, which are part of the value in a file that no shell reads; delete them'
  if (/^Bearer\s/i.test(key)) return 'begins with "Bearer"; it must be the key alone'
  if (/^(?:\$|%\w+%$)/.test(key)) return 'is the name of a variable, which nothing has replaced with its value'
  if (!isOurs(key)) return `is not a key of Carrel: its keys begin with ${keyPrefixes.onprem} or ${keyPrefixes.hosted}`
  // Headers cannot hold anything else.
  return /^[\x21-\x7e]+$/.test(key) ? undefined : 'contains a character that is not valid in a key'
}
