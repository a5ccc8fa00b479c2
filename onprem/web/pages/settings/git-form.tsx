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
const fields = ['github.baseUrl', 'github.appId', 'github.token', 'gitlab.baseUrl', 'gitlab.token', 'git.hosts']

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
          <TokenField draft={draft} name={name} label={label} scope={scope} />
        </Stack>
      ))}
      <OtherGitHosts draft={draft} />
      {mustChoose && <ChoosePrivate settings={settings} reason="A token can read private repositories." />}
      <DraftButtons draft={draft} fields={fields} untested="no token is set" results={resultsOf} isBlocked={mustChoose} />
    </Stack>
  )
}

/** GitHub is read with a personal token or as an app, whose private key is stored in place of the token. */
function TokenField({
  draft,
  name,
  label,
  scope,
}: { draft: SettingsDraft } & Pick<(typeof hosts)[number], 'name' | 'label' | 'scope'>) {
  const isApp = name === 'github' && draft.value('github.appId') !== ''
  return (
    <>
      {name === 'github' && (
        <SettingField
          draft={draft}
          name="github.appId"
          label="GitHub App"
          description="The App ID, to read as an app instead of with a personal token; else empty"
        />
      )}
      <SecretField
        draft={draft}
        name={`${name}.token`}
        label={isApp ? 'Private key of the GitHub App' : `${label} Token`}
        description={
          isApp
            ? 'The .pem file that GitHub made for the app'
            : `A personal access token with the scope ${scope}, for private repositories`
        }
        isLong={isApp}
      />
    </>
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
