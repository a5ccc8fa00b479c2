import { ActionIcon, Button, FileButton, Group, Progress, Skeleton, Stack, Table, Text, Title } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { CircleCheck, Trash2, Upload } from 'lucide-react'
import { useState } from 'react'
import { ActionsHead } from '../../../../shared/web/actions-head.tsx'
import { answerOf } from '../../../../shared/web/api/answer-of.ts'
import { ApiError } from '../../../../shared/web/api/api-error.ts'
import { ConfirmDialog } from '../../../../shared/web/confirm-dialog.tsx'
import { ErrorState } from '../../../../shared/web/error-state.tsx'
import { formatBytes, formatShare } from '../../../../shared/web/format.ts'
import { MessageText } from '../../../../shared/web/message-text.tsx'
import { api } from '../../api/api.ts'
import { type LocalModel, type ModelList, modelsQuery, type ShownSettings } from '../../api/queries.ts'
import { downloadModel, nameOf, uploadModel } from './add-model.ts'
import { UseModel } from './use-model.tsx'

/** The models that run on the server: what they cost and what they find, and buttons to add, choose and delete them. */
export function LocalModels({ settings }: { settings: ShownSettings }) {
  const queryClient = useQueryClient()
  const models = useQuery(modelsQuery)
  const reload = () => queryClient.invalidateQueries({ queryKey: modelsQuery.queryKey })
  return (
    <Stack gap="sm">
      <Group justify="space-between">
        <Title order={2}>Local models</Title>
        <UploadModel reload={reload} />
      </Group>
      <Text size="sm" c="dimmed" maw={620}>
        A model on this server needs no provider, and no text leaves the server.
        {models.data?.mirror !== undefined && ` Models are downloaded from ${models.data.mirror}.`}
      </Text>
      {models.isError ? (
        <ErrorState error={models.error} what="The models cannot be listed" retry={() => void models.refetch()} />
      ) : models.data ? (
        <ModelTable list={models.data} settings={settings} reload={reload} />
      ) : (
        <Skeleton height={200} />
      )}
    </Stack>
  )
}

type Reload = () => Promise<unknown>

function ModelTable({ list, settings, reload }: { list: ModelList; settings: ShownSettings; reload: Reload }) {
  const [deletes, setDeletes] = useState<string>()
  const { questions, inFirst5 } = list.measuredText
  return (
    <>
      <Table>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Model</Table.Th>
            <Table.Th ta="right" visibleFrom="sm">
              Size
            </Table.Th>
            <Table.Th ta="right" visibleFrom="sm">
              Time per 1,000
            </Table.Th>
            <Table.Th ta="right" visibleFrom="sm">
              Found
            </Table.Th>
            <ActionsHead />
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {list.models.map((model) => (
            <Table.Tr key={model.name}>
              <Table.Td>
                <ModelName model={model} />
              </Table.Td>
              <Table.Td ta="right" visibleFrom="sm">
                {formatBytes(model.bytes)}
              </Table.Td>
              <Table.Td ta="right" visibleFrom="sm">
                {timeOf(model)}
              </Table.Td>
              <Table.Td ta="right" visibleFrom="sm">
                {foundBy(model)}
              </Table.Td>
              <Table.Td>
                <ModelActions model={model} settings={settings} reload={reload} remove={() => setDeletes(model.name)} />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      <Text size="xs" c="dimmed" maw={620}>
        Time: of one processor, for 1,000 snippets. Found: the answers to {questions} questions about documentation that are in
        the first five snippets; words alone find {formatShare(inFirst5)}.
      </Text>
      <ConfirmDialog
        opened={deletes !== undefined}
        close={() => setDeletes(undefined)}
        question={`Delete ${deletes ?? 'this model'}?`}
        consequence="Its files are deleted from the server. Libraries keep the vectors that it made until they are indexed again."
        verb="Delete model"
        done={`Model ${deletes} deleted.`}
        onConfirm={() => answerOf(api.models[':name'].$delete({ param: { name: deletes ?? '' } })).finally(reload)}
      />
    </>
  )
}

const timeOf = ({ cpuSecondsPerThousand: seconds }: LocalModel): string =>
  seconds === undefined ? 'not measured' : `${seconds} s`
const foundBy = ({ measured }: LocalModel): string => (measured ? formatShare(measured.inFirst5) : '–')

const languagesOf = ({ languages }: LocalModel): string =>
  languages.length > 5 ? `${languages.length} languages` : languages.map(nameOfLanguage).join(', ')

const languageNames = new Intl.DisplayNames('en', { type: 'language' })
const nameOfLanguage = (code: string): string => languageNames.of(code) ?? code

const ModelName = ({ model }: { model: LocalModel }) => (
  <>
    <Text size="sm" fw={500}>
      {model.title}{' '}
      {model.state === 'active' && (
        <Text span size="xs" c="var(--good)">
          <CircleCheck size={13} aria-hidden /> In use
        </Text>
      )}
    </Text>
    <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
      {[model.name, model.license ?? 'not in the catalogue', languagesOf(model)].filter((text) => text !== '').join(' · ')}
    </Text>
    <Text size="xs" c="dimmed" hiddenFrom="sm">
      {formatBytes(model.bytes)} · {timeOf(model)} · {foundBy(model)}
    </Text>
    {model.error !== undefined && (
      <Text size="xs" c="var(--bad)" role="alert">
        <MessageText>{model.error}</MessageText>
      </Text>
    )}
  </>
)

type ModelActionsProps = { model: LocalModel; settings: ShownSettings; reload: Reload; remove: () => void }

function ModelActions({ model, settings, reload, remove }: ModelActionsProps) {
  const { name, state, progress } = model
  const download = useMutation({ meta: { done: 'Download started.' }, mutationFn: () => downloadModel(name), onSettled: reload })
  const cancel = useMutation({
    meta: { done: 'Download cancelled.' },
    mutationFn: () => answerOf(api.models[':name'].$delete({ param: { name } })),
    onSettled: reload,
  })
  if (progress) {
    const share = progress.doneBytes / progress.totalBytes
    return (
      <Group gap="xs" justify="flex-end" wrap="nowrap">
        <Progress value={100 * share} w={{ base: 32, sm: 72 }} aria-label={`Download of ${name}`} />
        <Button variant="default" size="xs" loading={cancel.isPending} onClick={() => cancel.mutate()}>
          Cancel
        </Button>
      </Group>
    )
  }
  const isAvailable = state === 'available' || (state === 'damaged' && model.license !== null)
  return (
    <Group gap={4} justify="flex-end" wrap="nowrap">
      {download.error && (
        <Text size="xs" c="var(--bad)" role="alert">
          <MessageText>{download.error.message}</MessageText>
        </Text>
      )}
      {isAvailable && (
        <Button
          variant="default"
          size="xs"
          aria-label={`Download ${name}`}
          loading={download.isPending}
          onClick={() => download.mutate()}
        >
          Download
        </Button>
      )}
      {state === 'installed' && <UseModel model={model} settings={settings} />}
      {(state === 'installed' || state === 'damaged') && (
        <ActionIcon aria-label={`Delete ${name}`} onClick={remove}>
          <Trash2 size={18} aria-hidden />
        </ActionIcon>
      )}
    </Group>
  )
}

/** Uploads a zip. A model that the catalogue does not know is only installed after its hash is confirmed. */
function UploadModel({ reload }: { reload: Reload }) {
  const [unknown, setUnknown] = useState<{ file: File; sha256: string }>()
  const upload = useMutation({
    meta: { done: 'Model installed.' },
    mutationFn: (file: File) => uploadModel(file),
    onError: (error, file) => {
      if (error instanceof ApiError && error.confirm !== undefined) setUnknown({ file, sha256: error.confirm })
    },
    onSettled: reload,
  })
  return (
    <div>
      <FileButton accept=".zip,application/zip" onChange={(file) => file && upload.mutate(file)}>
        {(props) => (
          <Button variant="default" leftSection={<Upload size={16} aria-hidden />} loading={upload.isPending} {...props}>
            Upload model
          </Button>
        )}
      </FileButton>
      {upload.error && !unknown && (
        <Text size="sm" c="var(--bad)" role="alert" maw={420}>
          <MessageText>{upload.error.message}</MessageText>
        </Text>
      )}
      <ConfirmDialog
        opened={unknown !== undefined}
        close={() => {
          setUnknown(undefined)
          upload.reset()
        }}
        question={`Install ${unknown ? nameOf(unknown.file) : 'this model'}?`}
        consequence={
          <>
            The catalogue does not know this model. Compare the hash (SHA-256) of its file with that of its source:{' '}
            <code style={{ overflowWrap: 'anywhere' }}>{unknown?.sha256}</code>
          </>
        }
        verb="Install model"
        done="Model installed."
        onConfirm={async () => unknown && uploadModel(unknown.file, unknown.sha256).finally(reload)}
      />
    </div>
  )
}
