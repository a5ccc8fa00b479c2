import { Button, Fieldset, Group, NativeSelect, Stack, Text, Textarea, TextInput, Title } from '@mantine/core'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import type { GitHost, Platform } from '../../../../shared/schemas/git-host.ts'
import { isSsh } from '../../../../shared/schemas/ssh-address.ts'
import { SecretField } from './secret-field.tsx'
import { useLinkedField } from './use-linked-field.ts'
import type { SettingsDraft } from './use-settings-draft.ts'

const kinds: readonly { value: Platform; label: string }[] = [
  { value: 'gitea', label: 'Gitea or Forgejo' },
  { value: 'github', label: 'GitHub Enterprise' },
  { value: 'gitlab', label: 'GitLab' },
  { value: 'bitbucket', label: 'Bitbucket Cloud' },
  { value: 'bitbucket-server', label: 'Bitbucket Data Center' },
  { value: 'azure', label: 'Azure DevOps' },
  { value: 'git', label: 'Another git server' },
]
const labelOf = (kind: Platform): string => kinds.find(({ value }) => value === kind)?.label ?? kind
const nothing: GitHost = { name: '', kind: 'gitea', baseUrl: '' }

/** The hosts in `git.hosts`: each with its token, and a form that adds one. Nothing is stored before Save. */
export function OtherGitHosts({ draft }: { draft: SettingsDraft }) {
  useLinkedField('git.hosts')
  const hosts = JSON.parse(draft.value('git.hosts') || '[]') as GitHost[]
  const put = (next: readonly GitHost[]) => draft.set('git.hosts', next.length === 0 ? '' : JSON.stringify(next))
  const change = (name: string, part: Partial<GitHost>) =>
    put(hosts.map((host) => (host.name === name ? { ...host, ...part } : host)))
  const remove = (name: string) => {
    draft.keep(`git.hosts.${name}.token`)
    put(hosts.filter((host) => host.name !== name))
  }
  return (
    <Stack gap="sm" id="git.hosts" tabIndex={-1}>
      <Title order={3} size="h5">
        Other git hosts
      </Title>
      {hosts.map((host) => (
        <HostFields
          key={host.name}
          draft={draft}
          host={host}
          change={(part) => change(host.name, part)}
          remove={() => remove(host.name)}
        />
      ))}
      {draft.error('git.hosts') && (
        <Text size="sm" c="var(--bad)">
          {draft.error('git.hosts')}
        </Text>
      )}
      <NewHost taken={hosts.map(({ name }) => name)} add={(host) => put([...hosts, host])} />
    </Stack>
  )
}

type HostFieldsProps = { draft: SettingsDraft; host: GitHost; change: (part: Partial<GitHost>) => void; remove: () => void }

function HostFields({ draft, host, change, remove }: HostFieldsProps) {
  const { name, kind, baseUrl, knownHosts, appId } = host
  const isOverSsh = isSsh(baseUrl)
  return (
    <Fieldset legend={`${name}, ${labelOf(kind)}`}>
      <Stack gap="sm">
        <TextInput
          label={`Address of ${name}`}
          spellCheck={false}
          autoComplete="off"
          value={baseUrl}
          onChange={(event) => change({ baseUrl: event.currentTarget.value })}
        />
        {kind === 'github' && (
          <TextInput
            label={`GitHub App of ${name}`}
            description="The App ID, to read as an app instead of with a personal token; else empty"
            spellCheck={false}
            autoComplete="off"
            value={appId ?? ''}
            onChange={(event) => change({ appId: event.currentTarget.value.trim() || undefined })}
          />
        )}
        <SecretField
          draft={draft}
          name={`git.hosts.${name}.token`}
          {...(isOverSsh
            ? { label: `Deploy key of ${name}`, description: 'A private key without a passphrase, as ssh-keygen writes it' }
            : appId === undefined
              ? { label: `Token of ${name}`, description: 'For private repositories' }
              : { label: `Private key of ${name}`, description: 'The .pem file that GitHub made for the app' })}
          isLong={isOverSsh || appId !== undefined}
        />
        {isOverSsh ? (
          <Textarea
            label={`Host keys of ${name}`}
            description="Lines of known_hosts, which the operator of the host has confirmed"
            spellCheck={false}
            autosize
            maxRows={6}
            value={knownHosts ?? ''}
            onChange={(event) => change({ knownHosts: event.currentTarget.value || undefined })}
          />
        ) : (
          <OverHttps host={host} change={change} />
        )}
        <Group>
          <Button variant="default" size="xs" onClick={remove}>
            Remove {name}
          </Button>
        </Group>
      </Stack>
    </Fieldset>
  )
}

function OverHttps({ host: { name, user, ca }, change }: Pick<HostFieldsProps, 'host' | 'change'>) {
  return (
    <>
      <TextInput
        label={`User name for the token of ${name}`}
        description="Only if the host expects another than the usual one"
        spellCheck={false}
        autoComplete="off"
        value={user ?? ''}
        onChange={(event) => change({ user: event.currentTarget.value || undefined })}
      />
      <Textarea
        label={`Certificate authority of ${name}`}
        description="In PEM, if a private authority issued its certificate"
        spellCheck={false}
        autosize
        maxRows={6}
        value={ca ?? ''}
        onChange={(event) => change({ ca: event.currentTarget.value || undefined })}
      />
    </>
  )
}

function NewHost({ taken, add }: { taken: readonly string[]; add: (host: GitHost) => void }) {
  const [host, setHost] = useState(nothing)
  const isTaken = taken.includes(host.name)
  return (
    <Fieldset legend="Add a host">
      <Stack gap="sm">
        <TextInput
          label="Name"
          description="Part of the ids of its libraries; small letters, digits and hyphens"
          spellCheck={false}
          autoComplete="off"
          value={host.name}
          error={isTaken && 'There is a host of this name.'}
          onChange={(event) => setHost({ ...host, name: event.currentTarget.value.trim() })}
        />
        <NativeSelect
          label="Kind"
          data={[...kinds]}
          value={host.kind}
          onChange={(event) => setHost({ ...host, kind: event.currentTarget.value as Platform })}
        />
        <TextInput
          label="Address"
          description={host.kind === 'git' ? 'https://…, or ssh://git@… to read it with a deploy key' : undefined}
          placeholder="https://git.example.com"
          spellCheck={false}
          autoComplete="off"
          value={host.baseUrl}
          onChange={(event) => setHost({ ...host, baseUrl: event.currentTarget.value.trim() })}
        />
        {isSsh(host.baseUrl) && (
          <Textarea
            label="Host keys"
            description="Lines of known_hosts, such as git.example.com ssh-ed25519 AAAA…"
            spellCheck={false}
            autosize
            maxRows={6}
            value={host.knownHosts ?? ''}
            onChange={(event) => setHost({ ...host, knownHosts: event.currentTarget.value })}
          />
        )}
        <Group>
          <Button
            variant="default"
            leftSection={<Plus size={16} aria-hidden />}
            disabled={host.name === '' || host.baseUrl === '' || isTaken}
            onClick={() => {
              add(host)
              setHost(nothing)
            }}
          >
            Add host
          </Button>
        </Group>
      </Stack>
    </Fieldset>
  )
}
