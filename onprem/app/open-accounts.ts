import { rmSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import type { Log } from '../../shared/log.ts'
import { secretBox } from '../../shared/settings/secret-box.ts'
import type { SettingsStore } from '../../shared/store/settings-store.ts'
import type { FairLimit } from '../../shared/time/fair-limit.ts'
import { type AccessAudit, accessAudit } from '../accounts/access-audit.ts'
import { type Accounts, betterAuthAccounts, type PasswordProof } from '../accounts/accounts.ts'
import { type Attempts, attemptsInMemory } from '../accounts/attempts.ts'
import { type AuditLog, sqliteAudit } from '../accounts/audit-log.ts'
import { type Backoff, backoffInMemory } from '../accounts/backoff.ts'
import { ensureInitialCredentials, initialPasswordFile } from '../accounts/ensure-initial-credentials.ts'
import { type GroupStore, sqliteGroups } from '../accounts/group-store.ts'
import { type HostAccounts, sqliteHostAccounts } from '../accounts/host-accounts.ts'
import { type IssuerSessions, sqliteIssuerSessions } from '../accounts/issuer-sessions.ts'
import { type CommandToken, commandToken, type KeyStore, sqliteKeys } from '../accounts/key-store.ts'
import { type KnownHosts, sqliteKnownHosts } from '../accounts/known-hosts.ts'
import { type LibraryRules, sqliteLibraryRules } from '../accounts/library-rules.ts'
import { limitedPasswords, type Passwords, signInLimit } from '../accounts/passwords.ts'
import { type ProvisionedGroups, sqliteProvisionedGroups } from '../accounts/provisioned-groups.ts'
import { type ProvisionedUsers, sqliteProvisionedUsers } from '../accounts/provisioned-users.ts'
import { sessionSecret } from '../accounts/session-secret.ts'
import { sqliteUsers, type UserStore } from '../accounts/user-store.ts'
import { signsIn } from '../accounts/ways-to-sign-in.ts'
import type { NewApp } from '../actions/manage-second-factor.ts'
import type { Config } from '../config.ts'
import { type Authorizations, authorizationsInMemory } from '../oauth/authorizations.ts'
import { type DeviceLogins, deviceLoginsInMemory } from '../oauth/device-logins.ts'
import { type OauthStore, sqliteOauth } from '../oauth/oauth-store.ts'
import { type FactorStore, sqliteFactors } from '../second-factor/factor-store.ts'
import { type PasskeyStore, sqlitePasskeys } from '../second-factor/passkey-store.ts'
import type { PasskeyChallenge } from '../second-factor/second-step.ts'
import { type ShortLived, shortLived } from '../second-factor/short-lived.ts'
import { type LibraryOwners, libraryOwners } from '../store/catalog/library-owners.ts'
import type { DiskReserve } from '../store/data-dir/disk-reserve.ts'

export type AccountPorts = {
  keys: KeyStore
  commandToken: CommandToken
  users: UserStore
  accounts: Accounts
  passwords: Passwords
  signIns: Pick<FairLimit, 'run'>
  attempts: Attempts
  /** Slows down attempts to sign in. */
  backoff: Backoff
  audit: AuditLog
  accessAudit: AccessAudit
  owners: LibraryOwners
  groups: GroupStore
  provisionedUsers: ProvisionedUsers
  provisionedGroups: ProvisionedGroups
  libraryRules: LibraryRules
  hostAccounts: HostAccounts
  knownHosts: KnownHosts
  issuerSessions: IssuerSessions
  factors: FactorStore
  passkeys: PasskeyStore
  passkeyChallenges: ShortLived<PasskeyChallenge>
  pendingSignIns: ShortLived<PasswordProof>
  newApps: ShortLived<NewApp>
  passwordProofs: ShortLived<object>
  oauth: OauthStore
  authorizations: Authorizations
  deviceLogins: DeviceLogins
}

type Input = {
  config: Pick<Config, 'INITIAL_ADMIN_PASSWORD' | 'PUBLIC_URL'>
  dataDir: string
  db: DatabaseSync
  settings: Pick<SettingsStore, 'get'>
  reserve: Pick<DiskReserve, 'use'>
  loopback: boolean
  passwords: Passwords
  log: Log
  plainLog: Log
  now(): Date
}

/** Opens the users with their keys and sessions, and creates the first admin of a new install. Throws AppError. */
export async function openAccounts(input: Input): Promise<AccountPorts> {
  const { config, dataDir, db, reserve, loopback, log, plainLog, now } = input
  const users = sqliteUsers(db, now, {
    onInitialChanged: () => rmSync(initialPasswordFile(dataDir), { force: true }),
    signsIn: (issuer) => signsIn(input, issuer),
  })
  const passwords = limitedPasswords(input.passwords)
  const credentials = { dataDir, givenPassword: config.INITIAL_ADMIN_PASSWORD }
  await ensureInitialCredentials({ users, passwords, loopback, log: plainLog }, credentials)
  const audit = sqliteAudit(db, now)
  const groups = sqliteGroups(db)
  const secret = () => sessionSecret(dataDir)
  const box = secretBox(dataDir)
  return {
    keys: sqliteKeys(db, now),
    commandToken: commandToken(),
    users,
    accounts: onFullDisks(
      betterAuthAccounts({ db, users, settings: input.settings, passwords, log, publicUrl: config.PUBLIC_URL, secret }),
      reserve,
    ),
    passwords,
    signIns: signInLimit(),
    attempts: attemptsInMemory(),
    backoff: backoffInMemory(),
    audit,
    accessAudit: accessAudit({ audit, settings: input.settings, log, now }),
    owners: libraryOwners(db),
    groups,
    provisionedUsers: sqliteProvisionedUsers(db, now),
    provisionedGroups: sqliteProvisionedGroups(db, now, groups.refresh),
    libraryRules: sqliteLibraryRules(db),
    hostAccounts: sqliteHostAccounts(db),
    knownHosts: sqliteKnownHosts(db, audit),
    issuerSessions: sqliteIssuerSessions(db, box),
    factors: sqliteFactors(db, box, now),
    passkeys: sqlitePasskeys(db, now),
    passkeyChallenges: shortLived(),
    pendingSignIns: shortLived(),
    newApps: shortLived(),
    passwordProofs: shortLived(),
    oauth: sqliteOauth(db, now),
    authorizations: authorizationsInMemory(),
    deviceLogins: deviceLoginsInMemory(),
  }
}

/** Admins can sign in to make room. */
const onFullDisks = (accounts: Accounts, { use }: Pick<DiskReserve, 'use'>): Accounts => ({
  checkPassword: accounts.checkPassword,
  beginSession: (...args) => use(() => accounts.beginSession(...args)),
  signOut: (...args) => use(() => accounts.signOut(...args)),
  session: (...args) => use(() => accounts.session(...args)),
})
