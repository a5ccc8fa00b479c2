import { Stack } from '@mantine/core'
import { hasGitSecret } from '../../../../shared/settings/git-secrets.ts'
import type { ShownSettings } from '../../api/queries.ts'
import { ChoosePrivate } from './choose-private.tsx'
import { DraftButtons } from './draft-buttons.tsx'
import { OtherGitHosts } from './other-git-hosts.tsx'
import { SecretField } from './secret-field.tsx'
import { SettingField } from './setting-field.tsx'
import styles from './settings-page.module.css'
import { type SettingsDraft, useSettingsDraft } from './use-settings-draft.ts'

const hosts = [
  { name: 'github', label: 'GitHub', scope: 'repo' },
  { name: 'gitlab', label: 'GitLab', scope: 'read_repository' },
] as const
const services = ['github', 'gitlab', 'git.hosts'] as const
const fields = ['github.baseUrl', 'github.token', 'gitlab.baseUrl', 'gitlab.token', 'git.hosts']

/** The git hosts that repositories may come from, and the tokens for private ones. */
export function GitForm({ settings, onSaved }: { settings: ShownSettings; onSaved?: () => void }) {
  const draft = useSettingsDraft(settings, services, onSaved)
  const storesToken = hasGitSecret(draft.changes)
  const mustChoose = storesToken && !settings['permissions.privateChosen']
  return (
    <Stack gap="lg" className={styles.form}>
      {hosts.map(({ name, label, scope }) => (
        <Stack key={name} gap="sm">
          <SettingField
            draft={draft}
            name={`${name}.baseUrl`}
            label={`${label} address`}
            description={`Of your own server, if you have one; else that of ${label}`}
          />
          <SecretField
            draft={draft}
            name={`${name}.token`}
            label={`${label} Token`}
            description={`A personal access token with the scope ${scope}, for private repositories`}
          />
        </Stack>
      ))}
      <OtherGitHosts draft={draft} />
      {mustChoose && <ChoosePrivate settings={settings} reason="A token can read private repositories." />}
      <DraftButtons draft={draft} fields={fields} untested="no token is set" results={resultsOf} isBlocked={mustChoose} />
    </Stack>
  )
}

function resultsOf(tests: NonNullable<SettingsDraft['test']['data']>) {
  const listed = Object.entries(tests['git.hosts'] ?? {}).map(([label, tested]) => ({ label, tested }))
  return [...hosts.map(({ name, label }) => ({ label, tested: tests[name] })), ...listed].flatMap(({ label, tested }) => {
    if (!tested) return []
    const owner = tested.login ? `the token belongs to ${tested.login}` : 'the address responds'
    return [{ ok: tested.ok, text: `${label}: ${tested.ok ? `${owner}.` : (tested.error ?? 'it failed.')}` }]
  })
}
