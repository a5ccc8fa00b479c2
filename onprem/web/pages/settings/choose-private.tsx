import { Alert, Button, Group, Stack, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { Lock } from 'lucide-react'
import { MessageText } from '../../../../shared/web/message-text.tsx'
import { changeSettings } from '../../api/change-settings.ts'
import type { ShownSettings } from '../../api/queries.ts'

const answers = [
  { text: 'Everyone who reaches this server', hidePrivate: false },
  { text: 'Only people and agents with a key', hidePrivate: true },
] as const

/** Lets an admin choose once who can read private libraries. `reason` explains the question. */
export function ChoosePrivate({ settings, reason }: { settings: ShownSettings; reason: string }) {
  const choose = useMutation({
    meta: { done: 'Permission saved.' },
    mutationFn: (hidePrivate: boolean) => changeSettings(settings, { 'permissions.hidePrivate': hidePrivate }),
  })
  return (
    <Alert color="yellow" icon={<Lock size={18} aria-hidden />} title="Who can read private libraries?">
      <Stack gap="sm">
        <Text size="sm">{reason} You can change this later, on the page Permissions.</Text>
        <Group gap="sm">
          {answers.map(({ text, hidePrivate }) => (
            <Button
              key={text}
              variant="default"
              disabled={choose.isPending}
              loading={choose.isPending && choose.variables === hidePrivate}
              onClick={() => choose.mutate(hidePrivate)}
            >
              {text}
            </Button>
          ))}
        </Group>
        {choose.error && (
          <Text size="sm" c="var(--bad)" role="alert">
            <MessageText>{choose.error.message}</MessageText>
          </Text>
        )}
      </Stack>
    </Alert>
  )
}
