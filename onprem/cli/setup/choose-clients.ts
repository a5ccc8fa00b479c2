import { UsageError } from '../../../shared/cli/usage-error.ts'
import { type ClientName, clientNames } from '../../../shared/clients/entries.ts'
import { AppError } from '../../../shared/errors.ts'
import { isUsed, type Place } from './client-files.ts'
import { clients } from './clients.ts'
import type { Terminal } from './terminal.ts'

type Choosing = { place: Place; named: ClientName[]; yes: boolean; terminal(): Terminal | undefined }

const flags = clientNames.map((name) => `--${name}`).join(', ')

/** The named clients, else those in use here: all of them with `--yes`, else those that the user chooses. Throws an AppError if there are none. */
export async function chooseClients({ place, named, yes, terminal }: Choosing): Promise<ClientName[]> {
  if (named.length > 0) return named
  const usedClients = clientNames.filter((name) => isUsed(name, place))
  if (usedClients.length === 0) {
    const where = place.project ?? place.home.home
    throw new AppError('not_found', `No AI client was found in ${where}. Name yours with ${flags}. Nothing was changed.`)
  }
  if (yes) return usedClients
  const open = terminal()
  if (!open) throw new UsageError(`There is no terminal to ask on. Add --yes, or name the clients with ${flags}.`)
  const list = clientNames.map(
    (name, index) => `  ${index + 1}  ${clients[name].label}${usedClients.includes(name) ? ' (found)' : ''}`,
  )
  const answer = await open.ask(
    `${list.join('\n')}\nWhich clients should use Carrel? Numbers, or "found" for ${usedClients.map((name) => clients[name].label).join(', ')}: `,
  )
  return answer === 'found' ? usedClients : readNumbers(answer)
}

function readNumbers(answer: string): ClientName[] {
  const chosen = answer
    .split(/[\s,]+/)
    .filter((word) => word !== '')
    .map((word) => clientNames[Number(word) - 1])
  const names = chosen.filter((name) => name !== undefined)
  if (names.length < chosen.length)
    throw new AppError(
      'validation_error',
      `"${answer}" is not a list of numbers from 1 to ${clientNames.length}. Nothing was changed.`,
    )
  return [...new Set(names)]
}
