import type { Caller } from '../access/caller.ts'

/** The caller of a command: anyone who can write to the data directory has the rights of an admin. */
export const commandLine: Caller = {
  holder: { id: 'command line', name: 'command line', role: 'admin', via: 'session', userId: null, username: null },
  sentKey: false,
}
