import { Button, Group, PasswordInput, Skeleton, Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { answerOf } from '../../../../shared/web/api/answer-of.ts'
import { ConfirmButton } from '../../../../shared/web/confirm-button.tsx'
import { ErrorState } from '../../../../shared/web/error-state.tsx'
import { fieldErrors } from '../../../../shared/web/field-errors.ts'
import { FormError } from '../../../../shared/web/form-error.tsx'
import { SettingsSection } from '../../../../shared/web/settings/settings-section.tsx'
import { TimeAgo } from '../../../../shared/web/time-ago.tsx'
import { useUnsavedChanges } from '../../../../shared/web/use-unsaved-changes.ts'
import { api } from '../../api/api.ts'
import { confluenceQuery } from '../../api/confluence-query.ts'
import { useTeam } from '../../api/use-team.ts'
import { LimitsLink } from '../../frame/limits-link.tsx'
import styles from './confluence-page.module.css'

const route = api.teamspaces[':team'].confluence

type Stored = { site: string; user?: string | undefined; last4: string; savedAt: string }

/** The Confluence site whose spaces become libraries of the teamspace. */
export function ConfluencePage() {
  const { id: team, role, plan } = useTeam()
  const stored = useQuery(confluenceQuery(team))
  return (
    <SettingsSection
      title="Confluence"
      about="Spaces of this site become private libraries of your teamspace. The token needs only the right to read them. It is encrypted, sent to this site only and never shown."
    >
      {plan === 'free' && (
        <Text size="sm">
          Confluence libraries require the plan Team or Enterprise. <LimitsLink team={team} />
        </Text>
      )}
      {role === 'developer' && (
        <Text size="sm" c="dimmed">
          Only owners and admins of the teamspace can change its site.
        </Text>
      )}
      {stored.isLoadingError ? (
        <ErrorState error={stored.error} what="The site cannot be loaded" retry={() => void stored.refetch()} />
      ) : stored.data === undefined ? (
        <Skeleton height={160} />
      ) : (
        <Site
          stored={stored.data ?? undefined}
          mayChange={role !== 'developer'}
          maySave={role !== 'developer' && plan !== 'free'}
        />
      )}
    </SettingsSection>
  )
}

type SiteProps = { stored: Stored | undefined; mayChange: boolean; maySave: boolean }

/** The stored site, which can be replaced or deleted, or the form for one. */
function Site({ stored, mayChange, maySave }: SiteProps) {
  const { id: team } = useTeam()
  const queryClient = useQueryClient()
  const [isReplacing, setIsReplacing] = useState(false)
  const reload = () => queryClient.invalidateQueries({ queryKey: confluenceQuery(team).queryKey })
  const remove = async () => {
    await answerOf(route.$delete({ param: { team } }))
    await reload()
  }
  const saved = async () => {
    await reload()
    setIsReplacing(false)
  }
  return (
    <Stack gap="md" className={styles.site}>
      <div role="status">
        {stored ? (
          <>
            <Text fw={500} className={styles.address}>
              {stored.site}
            </Text>
            <Text size="sm" c="dimmed" className={styles.address}>
              {stored.user && `${stored.user}, `}token ends in {stored.last4}, saved <TimeAgo time={stored.savedAt} />
            </Text>
          </>
        ) : (
          <Text size="sm" c="dimmed">
            No site is stored.
          </Text>
        )}
      </div>
      {stored && (
        <Group gap="sm">
          {maySave && !isReplacing && (
            <Button variant="default" size="xs" onClick={() => setIsReplacing(true)}>
              Replace
            </Button>
          )}
          {mayChange && (
            <ConfirmButton
              size="xs"
              question={`Delete ${stored.site}?`}
              consequence="Its token is deleted, too. The libraries of this site can no longer be refreshed. Their content is served as it is."
              done="Site deleted."
              onConfirm={remove}
            >
              Delete site
            </ConfirmButton>
          )}
        </Group>
      )}
      {maySave && (!stored || isReplacing) && <SiteForm stored={stored} saved={saved} />}
    </Stack>
  )
}

/** The token is entered again even if only another field changes: it belongs to its address. */
function SiteForm({ stored, saved }: { stored: Stored | undefined; saved: () => Promise<void> }) {
  const { id: team } = useTeam()
  const initialValues = { siteUrl: stored?.site ?? '', user: stored?.user ?? '', token: '' }
  const form = useForm({ initialValues })
  const save = useMutation({
    meta: { done: 'Site saved.' },
    mutationFn: (values: typeof initialValues) => {
      const user = values.user.trim()
      const json = { siteUrl: values.siteUrl.trim(), ...(user && { user }), token: values.token.trim() }
      return answerOf(route.$put({ param: { team }, json }))
    },
    onSuccess: async () => {
      form.reset()
      await saved()
    },
    onError: (error) => form.setErrors(fieldErrors(error)),
  })
  useUnsavedChanges(form.isDirty() && !save.isPending)
  return (
    <form onSubmit={form.onSubmit((values) => save.mutate(values))}>
      <Stack gap="md">
        <TextInput
          label="Address of the site"
          description="For a token with scopes https://api.atlassian.com/ex/confluence/<cloud id>/wiki"
          placeholder="https://example.atlassian.net/wiki"
          required
          spellCheck={false}
          inputMode="url"
          {...form.getInputProps('siteUrl')}
        />
        <TextInput
          label="User"
          description="For Confluence Cloud the e-mail address of the account; empty for a personal access token of Data Center"
          autoComplete="off"
          spellCheck={false}
          {...form.getInputProps('user')}
        />
        <PasswordInput
          label="Confluence token"
          description="An API token of Cloud, or a personal access token, of an account that may only read"
          autoComplete="off"
          required
          {...form.getInputProps('token')}
        />
        <FormError error={save.error} fields={Object.keys(initialValues)} />
        <Group>
          <Button type="submit" loading={save.isPending}>
            Save site
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
