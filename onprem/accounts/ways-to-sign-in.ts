import type { SettingsStore } from '../../shared/store/settings-store.ts'

type Ports = { settings: Pick<SettingsStore, 'get'> }

/** True if a user can sign in as things are: with a password (null), or at an issuer (its address). */
export const signsIn = ({ settings }: Ports, issuer: string | null): boolean =>
  issuer === null ? acceptsPasswords({ settings }) : settings.get('sso.issuers').some((entry) => entry.issuer === issuer)

/** True unless passwords are turned off and an issuer is there instead. */
export const acceptsPasswords = ({ settings }: Ports): boolean =>
  settings.get('sso.localAccounts') || settings.get('sso.issuers').length === 0
