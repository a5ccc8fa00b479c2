import { Alert, Button, Group, Text } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { answerOf } from '../../../../shared/web/api/answer-of.ts'
import { MessageText } from '../../../../shared/web/message-text.tsx'
import { api } from '../../api/api.ts'
import type { Source } from '../../api/queries.ts'

/** Saved settings apply from the next refresh, which can start here. */
export function SourceSaved({ id, source }: { id: string; source: Source & { message: string } }) {
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const done = async ({ queueId }: { queueId: number }) => {
    await queryClient.invalidateQueries({ queryKey: ['jobs'] })
    await navigate({ to: '/queue', search: { job: queueId } })
  }
  const refresh = useMutation({
    meta: { done: 'The refresh is in the Parse Queue.' },
    mutationFn: () => answerOf(api.projects[':id{.+}'].refresh.$post({ param: { id } })),
    onSuccess: done,
  })
  const force = useMutation({
    meta: { done: 'The refresh is in the Parse Queue.' },
    mutationFn: () => answerOf(api.parse.$post({ json: forced(source) })),
    onSuccess: done,
  })
  const error = refresh.error ?? force.error
  return (
    <Alert color="gray" title="Settings saved" role="status">
      <Text size="sm" mb="sm">
        {source.message} A refresh that would lose more than half of the snippets keeps the old content, unless you accept the
        loss.
      </Text>
      {error && (
        <Text size="sm" c="var(--bad)" role="alert" mb="sm">
          <MessageText>{error.message}</MessageText>
        </Text>
      )}
      <Group gap="xs">
        <Button size="xs" loading={refresh.isPending} onClick={() => refresh.mutate()}>
          Refresh
        </Button>
        <Button size="xs" variant="default" loading={force.isPending} onClick={() => force.mutate()}>
          Refresh and accept a loss
        </Button>
      </Group>
    </Alert>
  )
}

const forced = ({ repoUrl, branch, versions, folders, excludeFolders, excludeFiles, languages, ...switches }: Source) => ({
  repoUrl,
  generateDocs: switches.generateDocs,
  apiReference: switches.apiReference,
  versions,
  force: true,
  ...(branch !== null && { branch }),
  ...(folders !== null && { folders }),
  ...(excludeFolders !== null && { excludeFolders }),
  ...(excludeFiles !== null && { excludeFiles }),
  ...(languages !== null && { languages }),
})
