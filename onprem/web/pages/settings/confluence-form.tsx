import { Stack, Title } from '@mantine/core'
import type { ShownSettings } from '../../api/queries.ts'
import { ChoosePrivate } from './choose-private.tsx'
import { DraftButtons } from './draft-buttons.tsx'
import { SecretField } from './secret-field.tsx'
import { SettingField } from './setting-field.tsx'
import styles from './settings-page.module.css'
import { type SettingsDraft, useSettingsDraft } from './use-settings-draft.ts'

const services = ['confluence'] as const
const fields = ['confluence.baseUrl', 'confluence.user', 'confluence.token']

/** The Confluence site whose private spaces may be read, and the token for them. */
export function ConfluenceForm({ settings }: { settings: ShownSettings }) {
  const draft = useSettingsDraft(settings, services)
  const mustChoose = Boolean(draft.changes['confluence.token']) && !settings['permissions.privateChosen']
  return (
    <Stack gap="md" className={styles.form}>
      <Title order={2}>Confluence</Title>
      <SettingField
        draft={draft}
        name="confluence.baseUrl"
        label="Confluence address"
        description="Its host must be among the allowed hosts, too"
        placeholder="https://example.atlassian.net/wiki"
      />
      <SettingField
        draft={draft}
        name="confluence.user"
        label="Confluence user"
        description="For Confluence Cloud the e-mail address of the account; empty for a personal access token of Data Center"
      />
      <SecretField
        draft={draft}
        name="confluence.token"
        label="Confluence token"
        description="An API token of Cloud, or a personal access token, of an account that may only read"
      />
      {mustChoose && <ChoosePrivate settings={settings} reason="A token can read private spaces." />}
      <DraftButtons draft={draft} fields={fields} untested="no address is set" results={resultsOf} isBlocked={mustChoose} />
    </Stack>
  )
}

function resultsOf({ confluence }: NonNullable<SettingsDraft['test']['data']>) {
  if (!confluence) return []
  const owner = confluence.login ? `the token belongs to ${confluence.login}` : 'the address responds'
  return [{ ok: confluence.ok, text: `Confluence: ${confluence.ok ? `${owner}.` : (confluence.error ?? 'it failed.')}` }]
}
