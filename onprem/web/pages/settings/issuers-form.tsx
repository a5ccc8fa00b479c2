import { Alert, Button, Fieldset, Group, Stack, Text, TextInput } from '@mantine/core'
import { CircleAlert } from 'lucide-react'
import type { SsoIssuer } from '../../../../shared/schemas/sso-issuer.ts'
import { pageMeta } from '../../../../shared/web/api/page-meta.ts'
import { CopyButton } from '../../../../shared/web/copy-button.tsx'
import { FormError } from '../../../../shared/web/form-error.tsx'
import type { ShownSettings } from '../../api/queries.ts'
import { issuerKindLabels } from './issuer-kinds.ts'
import { NewIssuer } from './new-issuer.tsx'
import { SecretField } from './secret-field.tsx'
import styles from './settings-page.module.css'
import { SwitchField } from './switch-field.tsx'
import { useLinkedField } from './use-linked-field.ts'
import { type SettingsDraft, useSettingsDraft } from './use-settings-draft.ts'

const list = 'sso.issuers'
const passwords = 'sso.localAccounts'

/** The issuers in `sso.issuers`, each with its secret, and whether passwords count besides them. Nothing is stored before Save. */
export function IssuersForm({ settings }: { settings: ShownSettings }) {
  const draft = useSettingsDraft(settings, [])
  useLinkedField(list)
  const issuers = JSON.parse(draft.value(list) || '[]') as SsoIssuer[]
  const put = (next: readonly SsoIssuer[]) => draft.set(list, next.length === 0 ? '' : JSON.stringify(next))
  return (
    <Stack gap="md" className={styles.form} id={list} tabIndex={-1}>
      {issuers.map((issuer) => (
        <IssuerFields
          key={issuer.name}
          draft={draft}
          issuer={issuer}
          change={(part) => put(issuers.map((each) => (each.name === issuer.name ? { ...each, ...part } : each)))}
          remove={() => {
            draft.keep(`sso.issuers.${issuer.name}.clientSecret`)
            draft.keep(`sso.issuers.${issuer.name}.scimToken`)
            put(issuers.filter(({ name }) => name !== issuer.name))
          }}
        />
      ))}
      {draft.error(list) && (
        <Text size="sm" c="var(--bad)">
          {draft.error(list)}
        </Text>
      )}
      <NewIssuer taken={issuers.map(({ name }) => name)} add={(issuer) => put([...issuers, issuer])} />
      <SwitchField
        draft={draft}
        name={passwords}
        label="Allow sign-in with a password"
        description="For the users of this install. Turned off, only the command line can turn it on again if the issuers fail."
        disabled={issuers.length === 0 && draft.value(passwords) !== 'false'}
      />
      <SwitchField
        draft={draft}
        name="sso.clientRegistration"
        label="Let MCP clients register themselves"
        description="A user still allows each one. Turned off, an admin registers them with a key."
      />
      {draft.conflicts.length > 0 && (
        <Alert color="yellow" role="alert" icon={<CircleAlert size={18} aria-hidden />}>
          <Group justify="space-between" gap="sm">
            <Text size="sm">These settings changed since this page was loaded. Reload shows the stored ones.</Text>
            <Button variant="default" size="xs" onClick={draft.reload}>
              Reload
            </Button>
          </Group>
        </Alert>
      )}
      <FormError error={draft.save.error} fields={[list, passwords]} />
      <Group gap="sm">
        <Button
          disabled={!draft.isChanged || draft.conflicts.length > 0}
          loading={draft.save.isPending}
          onClick={() => draft.save.mutate()}
        >
          Save
        </Button>
      </Group>
    </Stack>
  )
}

type IssuerFieldsProps = {
  draft: SettingsDraft
  issuer: SsoIssuer
  change: (part: Partial<SsoIssuer>) => void
  remove: () => void
}

function IssuerFields({ draft, issuer, change, remove }: IssuerFieldsProps) {
  const { name, kind } = issuer
  const text = (
    field: 'issuer' | 'clientId' | 'label' | 'groupsClaim' | 'roleClaim' | 'scimClaim',
    label: string,
    description?: string,
  ) => (
    <TextInput
      label={`${label} of ${name}`}
      description={description}
      spellCheck={false}
      autoComplete="off"
      value={issuer[field] ?? ''}
      onChange={(event) => change({ [field]: event.currentTarget.value.trimStart() || undefined })}
    />
  )
  const values = (field: 'adminValues' | 'memberValues' | 'allowedDomains' | 'hosts', label: string, description: string) => (
    <TextInput
      label={`${label} of ${name}`}
      description={description}
      spellCheck={false}
      autoComplete="off"
      defaultValue={(issuer[field] ?? []).join(', ')}
      onChange={(event) => change({ [field]: valuesIn(event.currentTarget.value) })}
    />
  )
  return (
    <Fieldset legend={`${name}, ${issuerKindLabels[kind]}`}>
      <Stack gap="sm">
        <ShownAddress what="Redirect address for the issuer" path={`/api/auth/oidc/${name}/callback`} />
        {text('issuer', 'Address')}
        {text('clientId', 'Client id')}
        <SecretField
          draft={draft}
          name={`sso.issuers.${name}.clientSecret`}
          label={`Client secret of ${name}`}
          description="None for a public client"
        />
        {text('label', 'Label', 'What follows “Sign in with”')}
        {values(
          'allowedDomains',
          'Allowed domains',
          'Only people with a verified e-mail address of these domains; empty for all',
        )}
        {text('groupsClaim', 'Claim of groups', 'Empty for that of the kind')}
        {text('roleClaim', 'Claim of roles', 'Decides about the role at each sign-in; empty to leave it to the admins here')}
        {issuer.roleClaim !== undefined && (
          <>
            {values('adminValues', 'Values for admins', 'Separated by commas')}
            {values(
              'memberValues',
              'Values for members',
              'Separated by commas; others may then not sign in. Empty lets everybody in',
            )}
          </>
        )}
        <SecretField
          draft={draft}
          name={`sso.issuers.${name}.scimToken`}
          label={`Provisioning token of ${name}`}
          description="Lets the issuer create and disable users and tell their groups by SCIM: at least 32 random characters. Without it, users are created at sign-in"
        />
        <ShownAddress what="Provisioning address for the issuer" path={`/scim/v2/${name}`} />
        {text(
          'scimClaim',
          'Claim of provisioning',
          'Equals the externalId that the issuer sends; empty for oid at Entra ID, sub elsewhere',
        )}
        {values('hosts', 'Further hosts', 'Only if its tokens and keys are on other hosts')}
        <Group>
          <Button variant="default" size="xs" onClick={remove}>
            Remove {name}
          </Button>
        </Group>
      </Stack>
    </Fieldset>
  )
}

function ShownAddress({ what, path }: { what: string; path: string }) {
  const address = `${location.origin}${pageMeta('base')}${path}`
  return (
    <Text component="div" size="sm" className={styles.address}>
      {what}: <code>{address}</code> <CopyButton value={address} label={`the ${what.split(' ', 2).join(' ').toLowerCase()}`} />
    </Text>
  )
}

function valuesIn(text: string): string[] | undefined {
  const values = text
    .split(',')
    .map((each) => each.trim())
    .filter((each) => each !== '')
  return values.length === 0 ? undefined : values
}
