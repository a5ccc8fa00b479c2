import { AppError } from '../../shared/errors.ts'
import type { ListedSecretName } from '../../shared/settings/listed-secrets.ts'
import { isSecret, isSetting, type SecretName, type SettingName } from '../../shared/settings/settings.ts'
import { unknownSetting } from '../../shared/settings/unknown-setting.ts'
import type { SettingsStore } from '../../shared/store/settings-store.ts'
import { shortened } from '../../shared/text/excerpt.ts'
import { type DeclaredPorts, rejectDeclaredSettings } from '../access/declared-in-git.ts'
import type { DeclaredBy, DeclaredSetting } from '../store/declared/declared-store.ts'
import type { NamedSecrets } from '../store/declared/named-secrets.ts'
import { declarableBy } from './declarable-settings.ts'
import { SecretReference } from './manifest.ts'
import type { ReadManifest } from './read-manifest.ts'
import type { YamlProblem } from './yaml-worker.ts'

/** `from` and `to` are texts for people; those of a secret name it. */
export type PlannedSetting = { name: string; change: 'changed' | 'unchanged'; from: string; to: string }

export type SettingsPlan = {
  planned: PlannedSetting[]
  /** The differences from the install, for `SettingsStore.change`. */
  changes: Record<string, unknown>
  declared: Omit<DeclaredSetting, 'by'>[]
}

export type PlanSettingsPorts = DeclaredPorts & { settings: SettingsStore; secrets: Pick<NamedSecrets, 'read' | 'isFor'> }

/** Compares the settings of a file with those of the install. Adds what is wrong to `problems`. */
export function planSettings(
  ports: PlanSettingsPorts,
  { settings: named, lineOf, problemAt }: ReadManifest,
  by: DeclaredBy,
  problems: YamlProblem[],
): SettingsPlan {
  const wanted: Record<string, unknown> = {}
  const declared: SettingsPlan['declared'] = []
  for (const [name, value] of Object.entries(named)) {
    const path = ['settings', name]
    try {
      wanted[name] = readValue(ports, by, name, value)
      declared.push({ name, value, line: lineOf(path) })
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      problems.push(problemAt(path, error.message.replace(`${name} `, '')))
    }
  }
  const unchosen = ['github.token', 'gitlab.token', 'confluence.token'].find((name) => Object.hasOwn(wanted, name))
  const choice = 'permissions.hidePrivate'
  if (unchosen !== undefined && !ports.settings.get('permissions.privateChosen') && typeof wanted[choice] !== 'boolean')
    problems.push(
      problemAt(['settings', unchosen], `can read private repositories: first choose ${choice}, which says who can read them`),
    )
  if (problems.length > 0) return { planned: [], changes: {}, declared: [] }
  return { ...compare(ports, wanted, named), declared }
}

/** The declared settings that the install does not have, as texts for people. */
export function settingDrift(ports: PlanSettingsPorts, declared: DeclaredSetting[]): { name: string; message: string }[] {
  return declared.flatMap(({ name, by, value }) => {
    try {
      const { planned } = compare(ports, { [name]: readValue(ports, by, name, value) }, { [name]: value })
      return planned
        .filter(({ change }) => change === 'changed')
        .map(({ from, to }) => ({ name, message: `is ${from}, declared as ${to}` }))
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      return [{ name, message: error.message }]
    }
  })
}

function compare(
  { settings }: PlanSettingsPorts,
  wanted: Record<string, unknown>,
  declared: Record<string, unknown>,
): Pick<SettingsPlan, 'planned' | 'changes'> {
  const stored = new Map(settings.list().map((each) => [each.name, each]))
  const isChanged = (name: SettingName) =>
    wanted[name] === null
      ? stored.get(name)?.state === 'set'
      : stored.get(name)?.state !== 'set' || JSON.stringify(settings.get(name)) !== JSON.stringify(wanted[name])
  const changed = Object.keys(wanted).filter((name) => isSetting(name) && isChanged(name))
  // A secret is bound to the address that it has after these changes.
  const after = settings.withChanges(Object.fromEntries(changed.map((name) => [name, wanted[name]])))
  const changedSecrets = Object.keys(wanted).filter((name) => isSecret(name) && after.getSecret(name) !== wanted[name])
  const all = new Set([...changed, ...changedSecrets])
  const planned = Object.keys(wanted).map((name): PlannedSetting => {
    const isHidden = isSecret(name)
    const from = isHidden
      ? stored.get(name)?.state === 'set'
        ? 'another secret'
        : 'unset'
      : text(stored.get(name as SettingName)?.value)
    const to = isHidden
      ? `the secret ${SecretReference.parse(declared[name]).secret}`
      : wanted[name] === null
        ? 'its default'
        : text(wanted[name])
    return { name, change: all.has(name) ? 'changed' : 'unchanged', from, to }
  })
  return { planned, changes: Object.fromEntries([...all].map((name) => [name, wanted[name]])) }
}

/** The value of a setting, or the secret that it names. Throws validation_error, not_found, forbidden. */
function readValue(ports: PlanSettingsPorts, by: DeclaredBy, name: string, value: unknown): unknown {
  if (!isSetting(name) && !isSecret(name)) throw unknownSetting(name)
  rejectUndeclarable(ports, by, name)
  if (isSecret(name)) return readNamedSecret(ports, by, name, value)
  if (value === null) return null
  return ports.settings.withChanges({ [name]: value }).get(name)
}

function rejectUndeclarable(ports: PlanSettingsPorts, by: DeclaredBy, name: SettingName | SecretName | ListedSecretName): void {
  const declarable = declarableBy(name)
  if (declarable === 'none') throw invalid(`${name} cannot be declared in a file`)
  if (by === 'git' && declarable === 'file')
    throw invalid(`${name} cannot be set by a followed repository: an admin sets it, here or with "carrel apply"`)
  if (by === 'file') rejectDeclaredSettings(ports, [name])
}

function readNamedSecret(
  { secrets }: PlanSettingsPorts,
  by: DeclaredBy,
  name: SecretName | ListedSecretName,
  value: unknown,
): string {
  const reference = SecretReference.safeParse(value)
  if (!reference.success) throw invalid(`${name} must name a stored secret, as { secret: NAME }: a file holds no secrets`)
  const { secret } = reference.data
  if (by === 'git' && !secrets.isFor(secret, name))
    throw invalid(
      `${name} names a secret that was not stored for it and for its present address: carrel secrets set ${secret} - --for ${name}`,
    )
  return secrets.read(secret)
}

const invalid = (message: string): AppError => new AppError('validation_error', message)

const maxShownChars = 80
const text = (value: unknown): string =>
  shortened(
    value === null || value === undefined ? 'unset' : typeof value === 'string' ? value : JSON.stringify(value),
    maxShownChars,
  )
