import { basename } from 'node:path'
import type { InferResponseType } from 'hono/client'
import { AppError } from '../../../shared/errors.ts'
import { pluralize } from '../../../shared/text/figures.ts'
import { call } from './connection.ts'
import { nameOf, readTextFile } from './read-text-file.ts'
import type { CommandPorts } from './with-connection.ts'

const maxBytes = 10 * 2 ** 20
const maxNames = 20

type Recognized = InferResponseType<CommandPorts['api']['parse']['recognize']['$post'], 200>
type Repository = Recognized['repositories'][number]

/**
 * The repositories that a list, manifest or lock file names and that are not here, `-` being the standard input. Reports the others. Throws if the
 * file cannot be read or names no repository.
 */
export async function recognizeFile({ api, progress }: CommandPorts, path: string): Promise<Repository[]> {
  const text = await readTextFile(path, maxBytes)
  const json = path === '-' ? { text } : { text, fileName: basename(path) }
  const sent = call(api.parse.recognize.$post({ json })).catch((error: unknown) => Promise.reject(asFailure(error)))
  const { repositories, unknown } = await (await sent).json()
  const present = repositories.filter(({ state }) => state !== 'absent')
  progress.clear()
  if (present.length > 0) progress.remark(`Here already or queued: ${listed(present.map(({ libraryId }) => libraryId))}`)
  reportUnknown({ progress }, unknown)
  if (repositories.length === 0) throw new AppError('command_failed', `${nameOf(path)} names no known repository.`)
  return repositories.filter(({ state }) => state === 'absent')
}

/** A file that cannot be read is not wrong usage. */
const asFailure = (error: unknown): unknown =>
  error instanceof AppError && error.code === 'validation_error'
    ? new AppError('command_failed', error.message, { cause: error })
    : error

/** The names of packages in one line, since a lock file has many. */
function reportUnknown({ progress }: Pick<CommandPorts, 'progress'>, unknown: Recognized['unknown']): void {
  const [packages, others] = [unknown.filter(isPackage), unknown.filter((each) => !isPackage(each))]
  if (packages.length > 0) {
    const names = listed(packages.map(({ name }) => name))
    progress.remark(`${pluralize(packages.length, 'name')} without a known repository: ${names}`)
  }
  for (const { name, problem } of others.slice(0, maxNames)) progress.remark(`${name}: ${problem}`)
}

const isPackage = ({ problem }: Recognized['unknown'][number]): boolean => problem.startsWith('No repository of')

function listed(names: string[]): string {
  const more = names.length - maxNames
  return `${names.slice(0, maxNames).join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}
