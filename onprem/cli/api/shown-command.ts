import { commandName } from '../../../shared/system/command-name.ts'

/** A command as its user types it. */
export const shownCommand = (words: string): string => `${commandName()} ${words}`
