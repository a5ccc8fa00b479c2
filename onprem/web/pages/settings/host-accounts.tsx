import { Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { answerOf } from '../../../../shared/web/api/answer-of.ts'
import { FormDialog } from '../../../../shared/web/form-dialog.tsx'
import { FormError } from '../../../../shared/web/form-error.tsx'
import { api } from '../../api/api.ts'
import { type ListedUser, type ShownSettings, settingsQuery, usersQuery } from '../../api/queries.ts'

type HostAccountsProps = { user: ListedUser; opened: boolean; close: () => void }

/** The accounts of a user at git hosts, which decide about libraries with the access `host`. */
export const HostAccounts = ({ user, opened, close }: HostAccountsProps) => (
  <FormDialog opened={opened} onClose={close} title={`Accounts of ${user.username} at git hosts`}>
    <HostAccountsForm user={user} close={close} />
  </FormDialog>
)

function HostAccountsForm({ user, close }: Pick<HostAccountsProps, 'user' | 'close'>) {
  const queryClient = useQueryClient()
  const settings = useQuery(settingsQuery)
  const [accounts, setAccounts] = useState(user.hostAccounts)
  const store = useMutation({
    meta: { done: 'Accounts stored.' },
    mutationFn: () => {
      const given = Object.entries(accounts).map(([host, account]) => [host, account.trim()])
      const hostAccounts = Object.fromEntries(given.filter(([, account]) => account !== ''))
      return answerOf(api.users[':id'].$patch({ param: { id: user.id }, json: { hostAccounts } }))
    },
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: usersQuery.queryKey })
      close()
    },
  })
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        store.mutate()
      }}
    >
      <Stack gap="md">
        <Text size="sm">
          Where a rule lets the git host decide, {user.username} sees the libraries that these accounts may read. Enter only
          accounts that you know to be theirs.
        </Text>
        {settings.data &&
          hostsWithAccounts(settings.data).map(({ name, address }) => (
            <TextInput
              key={name}
              label={`User name at ${address}`}
              spellCheck={false}
              autoComplete="off"
              maxLength={255}
              value={accounts[name] ?? ''}
              onChange={({ currentTarget: { value } }) => setAccounts((before) => ({ ...before, [name]: value }))}
            />
          ))}
        <FormError error={store.error} fields={[]} />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={close}>
            Cancel
          </Button>
          <Button type="submit" loading={store.isPending}>
            Store
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

/** The hosts whose API says who may read a repository. */
function hostsWithAccounts(settings: ShownSettings): { name: string; address: string }[] {
  const main = (['github', 'gitlab'] as const).map((name) => ({ name, baseUrl: settings[`${name}.baseUrl`] ?? '' }))
  const others = (settings['git.hosts'] ?? []).filter(({ kind }) => kind === 'github' || kind === 'gitlab')
  return [...main, ...others].map(({ name, baseUrl }) => ({ name, address: URL.parse(baseUrl)?.host ?? name }))
}
