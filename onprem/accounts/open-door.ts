import type { App } from '../app.ts'

/** For the log and for health. */
export const openDoor =
  'Other machines reach this server while the user admin still has the password admin: sign in and change both at once.'

/** Whether somebody on another machine could sign in with what everybody knows. */
export const hasOpenDoor = ({ loopback, users }: Pick<App, 'loopback' | 'users'>): boolean => !loopback && users.hasDefaultPair()
