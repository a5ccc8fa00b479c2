import { Button, Group, PasswordInput, Stack, Text, Title } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { TokenHost } from '../../../../shared/reading/git/git-hosts.ts'
import { answerOf } from '../../../../shared/web/api/answer-of.ts'
import { ConfirmButton } from '../../../../shared/web/confirm-button.tsx'
import { fieldErrors } from '../../../../shared/web/field-errors.ts'
import { FormError } from '../../../../shared/web/form-error.tsx'
import { TimeAgo } from '../../../../shared/web/time-ago.tsx'
import { useUnsavedChanges } from '../../../../shared/web/use-unsaved-changes.ts'
import { api } from '../../api/api.ts'
import { gitTokensQuery } from '../../api/git-tokens-query.ts'
import { useTeam } from '../../api/use-team.ts'
import styles from './git-token.module.css'

const route = api.teamspaces[':team']['git-tokens'][':host']
const names: Record<TokenHost, string> = { github: 'GitHub', gitlab: 'GitLab', bitbucket: 'Bitbucket' }

type GitTokenProps = {
  host: TokenHost
  stored: { last4: string; savedAt: string } | undefined
  mayChange: boolean
  mayAdd: boolean
}

/** The token for one host: only its end is shown, and it can be replaced or deleted. */
export function GitToken({ host, stored, mayChange, mayAdd }: GitTokenProps) {
  const { id: team } = useTeam()
  const queryClient = useQueryClient()
  const [isReplacing, setIsReplacing] = useState(false)
  const reload = () => queryClient.invalidateQueries({ queryKey: gitTokensQuery(team).queryKey })
  const remove = async () => {
    await answerOf(route.$delete({ param: { team, host } }))
    await reload()
  }
  const saved = async () => {
    await reload()
    setIsReplacing(false)
  }
  return (
    <section aria-label={names[host]} className={styles.token}>
      <Title order={2} size="h3">
        {names[host]}
      </Title>
      <Group gap="sm" mih={36} role="status">
        <Text size="sm" c={stored ? undefined : 'dimmed'}>
          {stored ? (
            <>
              Set, ends in {stored.last4}, saved <TimeAgo time={stored.savedAt} />
            </>
          ) : (
            'No token is stored.'
          )}
        </Text>
        {stored && mayAdd && !isReplacing && (
          <Button variant="default" size="xs" onClick={() => setIsReplacing(true)}>
            Replace
          </Button>
        )}
        {stored && mayChange && (
          <ConfirmButton
            size="xs"
            question={`Delete the token for ${names[host]}?`}
            consequence="Private libraries of this host can no longer be refreshed. Their content is served as it is."
            done="Token deleted."
            onConfirm={remove}
          >
            Delete token
          </ConfirmButton>
        )}
      </Group>
      {mayAdd && (!stored || isReplacing) && <TokenForm host={host} saved={saved} />}
    </section>
  )
}

function TokenForm({ host, saved }: { host: TokenHost; saved: () => Promise<void> }) {
  const { id: team } = useTeam()
  const form = useForm({ initialValues: { token: '' } })
  const save = useMutation({
    meta: { done: 'Token saved.' },
    mutationFn: ({ token }: { token: string }) => answerOf(route.$put({ param: { team, host }, json: { token: token.trim() } })),
    onSuccess: async () => {
      form.reset()
      await saved()
    },
    onError: (error) => form.setErrors(fieldErrors(error)),
  })
  useUnsavedChanges(form.isDirty() && !save.isPending)
  return (
    <form onSubmit={form.onSubmit((values) => save.mutate(values))}>
      <Stack gap="sm">
        <PasswordInput label={`Token for ${names[host]}`} autoComplete="off" required {...form.getInputProps('token')} />
        <FormError error={save.error} fields={['token']} />
        <Group>
          <Button type="submit" loading={save.isPending}>
            Save token
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
