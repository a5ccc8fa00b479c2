import type { Context } from 'hono'
import { AppError } from '../../shared/errors.ts'
import { isForwarded } from './is-own-origin.ts'
import { publicHash } from './user.ts'
import type { UserStore } from './user-store.ts'

/**
 * Throws forbidden if a proxy forwards a sign-in of the user who still has the public initial password. Without PUBLIC_URL the server does not
 * know that the proxy lets others reach it.
 */
export function rejectPublicPassword({ users }: { users: Pick<UserStore, 'initial'> }, c: Context, username: string): void {
  const initial = users.initial()
  if (initial?.hash !== publicHash || initial.username !== username.toLowerCase() || !isForwarded(c)) return
  throw new AppError(
    'forbidden',
    'The initial password is known to everyone, so it is not accepted through a reverse proxy. Set PUBLIC_URL to the address that users see and restart the server: it then generates another password.',
  )
}
