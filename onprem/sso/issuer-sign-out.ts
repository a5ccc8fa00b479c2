import type { Log } from '../../shared/log.ts'
import type { IssuerSessions } from '../accounts/issuer-sessions.ts'
import type { Issuers } from './issuers.ts'

export type IssuerSignOutPorts = {
  issuers: Issuers
  issuerSessions: Pick<IssuerSessions, 'find'>
  log: Log
}

/** The address at which a browser also signs out of the issuer of its session. Undefined if there is none, or it cannot be found out. */
export async function issuerSignOut(
  { issuers, issuerSessions, log }: IssuerSignOutPorts,
  sessionId: string,
  returnTo: string,
): Promise<string | undefined> {
  try {
    const session = issuerSessions.find(sessionId)
    if (session === undefined) return undefined
    const opened = await issuers.open(session.issuer)
    return (await opened?.client.signOutAddress(returnTo, session.idToken))?.href
  } catch (error) {
    log.warn({ error }, 'a session does not end at its issuer')
    return undefined
  }
}
