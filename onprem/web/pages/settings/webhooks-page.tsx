import { Button, Group, Paper, Skeleton, Stack, Text } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import { answerOf } from '../../../../shared/web/api/answer-of.ts'
import { ConfirmButton } from '../../../../shared/web/confirm-button.tsx'
import { EmptyState } from '../../../../shared/web/empty-state.tsx'
import { ErrorState } from '../../../../shared/web/error-state.tsx'
import { SettingsSection } from '../../../../shared/web/settings/settings-section.tsx'
import { TimeAgo } from '../../../../shared/web/time-ago.tsx'
import { api } from '../../api/api.ts'
import { type ListedHook, webhooksQuery } from '../../api/queries.ts'
import { NewWebhook } from './new-webhook.tsx'
import { WebhookAddress } from './webhook-address.tsx'
import { WebhookDeliveries } from './webhook-deliveries.tsx'

/** The webhooks, each with its address and last deliveries. */
export function WebhooksPage() {
  const hooks = useQuery(webhooksQuery)
  const [adds, setAdds] = useState(false)
  return (
    <SettingsSection
      title="Webhooks"
      about="A git host reports pushes, tags and releases here, and the library is refreshed. The host must reach this server."
      action={
        <Button leftSection={<Plus size={16} aria-hidden />} onClick={() => setAdds(true)}>
          Add webhook
        </Button>
      }
    >
      {hooks.isLoadingError ? (
        <ErrorState error={hooks.error} what="The webhooks cannot be loaded" retry={() => void hooks.refetch()} />
      ) : !hooks.data ? (
        <Skeleton height={160} />
      ) : hooks.data.total === 0 ? (
        <EmptyState title="No webhooks yet">Without one, libraries are refreshed by hand or by their schedule.</EmptyState>
      ) : (
        <Stack gap="md">
          {hooks.data.hooks.map((hook) => (
            <Webhook key={hook.id} hook={hook} />
          ))}
        </Stack>
      )}
      <NewWebhook opened={adds} close={() => setAdds(false)} />
    </SettingsSection>
  )
}

function Webhook({ hook }: { hook: ListedHook }) {
  const { id, name, library, host, lastDeliveryAt } = hook
  const [shows, setShows] = useState(false)
  const queryClient = useQueryClient()
  const remove = async () => {
    await answerOf(api.hooks[':id'].$delete({ param: { id } }))
    // The deliveries of a removed webhook are gone with it.
    await queryClient.invalidateQueries({ queryKey: webhooksQuery.queryKey, exact: true })
  }
  return (
    <Paper withBorder p="md">
      <Stack gap="xs">
        <Text fw={600}>
          <bdi>{name}</bdi>
        </Text>
        <Text size="sm" c="dimmed">
          Refreshes {library ?? (host === null ? 'all libraries' : `the libraries of ${host}`)} · Last delivery:{' '}
          {lastDeliveryAt === null ? 'never' : <TimeAgo time={lastDeliveryAt} />}
        </Text>
        <WebhookAddress hook={hook} />
        <Group gap="xs">
          <Button variant="default" size="xs" aria-expanded={shows} onClick={() => setShows(!shows)}>
            {shows ? 'Hide deliveries' : 'Show deliveries'}
          </Button>
          <ConfirmButton
            size="xs"
            question={`Remove the webhook ${name}?`}
            consequence="Deliveries to its address are rejected. This cannot be undone."
            done={`Webhook ${name} removed.`}
            onConfirm={remove}
          >
            Remove webhook
          </ConfirmButton>
        </Group>
        {shows && <WebhookDeliveries id={id} />}
      </Stack>
    </Paper>
  )
}
