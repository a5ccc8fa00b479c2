import { AppError } from '../../../shared/errors.ts'
import { addAdvice } from '../../../shared/search/libraries/add-advice.ts'
import { commandName } from '../../../shared/system/command-name.ts'

/** Replaces the advice of the API about a missing library by commands. Returns other errors unchanged. */
export function showCommands(error: unknown): unknown {
  if (!(error instanceof AppError)) return error
  const message = commands().reduce((text, [advice, command]) => text.replace(advice, command), error.message)
  return message === error.message ? error : new AppError(error.code, message, { fields: error.fields, cause: error })
}

function commands(): [string, string][] {
  const add = `(${shownCommand('add owner/repo')})`
  const searchOrAdd = `Search for its name (${shownCommand('search name')}), or add it ${add}.`
  return [
    [addAdvice.emptyInstall, `Add one ${add}.`],
    [addAdvice.noMatch, `Try its full name, its package name or owner/repo, or add it ${add}.`],
    [addAdvice.notHere, searchOrAdd],
    [addAdvice.nowhere, searchOrAdd],
    [addAdvice.notAllowed, `An admin can add an exception, or add the library ${add}.`],
  ]
}

/** A command as its user types it. */
export const shownCommand = (words: string): string => `${commandName()} ${words}`
