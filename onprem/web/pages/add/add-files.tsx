import '@mantine/dropzone/styles.layer.css'
import { Alert, Anchor, Button, FileButton, Group, List, Progress, Stack, Text, TextInput } from '@mantine/core'
import { Dropzone } from '@mantine/dropzone'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { CircleAlert, FileText } from 'lucide-react'
import { useRef, useState } from 'react'
import { countOf, formatBytes, formatShare } from '../../../../shared/web/format.ts'
import { MessageText } from '../../../../shared/web/message-text.tsx'
import { useUnsavedChanges } from '../../../../shared/web/use-unsaved-changes.ts'
import { api } from '../../api/api.ts'
import styles from './add-page.module.css'
import { type ChosenFile, chosenFiles, problemOf, sizeOf, type UploadKind } from './chosen-files.ts'
import { sendUpload } from './send-upload.ts'

const shownFiles = 8

const kinds = {
  files: {
    invitation: 'Drop files, a folder or a zip here, or choose files',
    hint: 'Markdown, HTML, PDF, Word and the other formats of documentation; up to 200 MB and 10,000 files',
    input: 'Files to add',
    button: 'Add Files',
    url: () => api['parse-files'].$url(),
    field: 'files',
  },
  'openapi-upload': {
    invitation: 'Drop an API description here, or choose it',
    hint: 'OpenAPI, Swagger or AsyncAPI as .json or .yaml, or a GraphQL schema as .graphql; up to 4 MB',
    input: 'API description to add',
    button: 'Upload OpenAPI',
    url: () => api['parse-openapi-upload'].$url(),
    field: 'openapiFile',
  },
} as const

/** Uploads files, which become a library. */
export function AddFiles({ kind }: { kind: UploadKind }) {
  const { invitation, hint, input, button, url, field } = kinds[kind]
  const [files, setFiles] = useState<ChosenFile[]>([])
  const [problem, setProblem] = useState<string>()
  const [name, setName] = useState('')
  const [share, setShare] = useState(0)
  const stop = useRef<AbortController>(undefined)
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const upload = useMutation({
    meta: { done: 'The files are in the Parse Queue.' },
    mutationFn: () => {
      stop.current = new AbortController()
      setShare(0)
      const form = new FormData()
      if (name.trim()) form.append(kind === 'files' ? 'name' : 'projectTitle', name.trim())
      for (const { path, file } of files) form.append(field, file, path)
      const { signal } = stop.current
      return sendUpload(url(), form, { consequence: 'Nothing was added', signal, onProgress: setShare })
    },
    onSuccess: async () => {
      await queryClient.invalidateQueries()
      await navigate({ to: '/queue' })
    },
  })
  useUnsavedChanges(files.length > 0 && !upload.isPending && upload.data === undefined)
  const choose = (chosen: readonly File[]) => {
    if (chosen.length === 0) return
    const next = chosenFiles(chosen)
    const nextProblem = problemOf(kind, next)
    setProblem(nextProblem)
    setFiles(nextProblem === undefined ? next : [])
    upload.reset()
  }
  return (
    <form
      className={styles.form}
      onSubmit={(event) => {
        event.preventDefault()
        if (files.length === 0) setProblem('Choose what to add first.')
        else upload.mutate()
      }}
    >
      <Stack gap="md">
        <Dropzone
          onDrop={choose}
          onReject={(rejections) => choose(rejections.map(({ file }) => file as File))}
          multiple
          disabled={upload.isPending}
          inputProps={{ 'aria-label': input }}
        >
          <Stack gap={4} align="center" className={styles.drop}>
            <FileText size={28} aria-hidden />
            <Text fw={500}>{invitation}</Text>
            <Text size="sm" c="dimmed">
              {hint}
            </Text>
          </Stack>
        </Dropzone>
        {kind === 'files' && (
          <FileButton multiple onChange={choose} inputProps={{ webkitdirectory: '' } as object}>
            {(folder) => (
              <Anchor component="button" type="button" size="sm" className={styles.more} {...folder}>
                Choose a folder
              </Anchor>
            )}
          </FileButton>
        )}
        {files.length > 0 && <ChosenFiles files={files} />}
        <TextInput
          label={kind === 'files' ? 'Name' : 'Title'}
          description={
            kind === 'files'
              ? 'Name of the library in its id; by default that of the folder or of the only file. The same name again replaces its files.'
              : 'Also the name in the id; by default the name of the file. The same name again updates the library.'
          }
          value={name}
          maxLength={200}
          disabled={upload.isPending}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        {(problem ?? upload.error?.message) !== undefined && (
          <Alert color="red" variant="light" role="alert" icon={<CircleAlert size={18} aria-hidden />}>
            <MessageText>{problem ?? upload.error?.message ?? ''}</MessageText>
          </Alert>
        )}
        {upload.isPending && (
          <div aria-live="polite">
            <Progress value={share * 100} aria-label="Upload" />
            <Text size="sm" c="dimmed" mt={4}>
              {share < 1 ? `${formatShare(share)} uploaded` : 'Uploaded. Carrel checks the files.'}
            </Text>
          </div>
        )}
        <Group gap="sm">
          <Button type="submit" loading={upload.isPending}>
            {button}
          </Button>
          {upload.isPending && (
            <Button variant="default" onClick={() => stop.current?.abort()}>
              Cancel
            </Button>
          )}
        </Group>
      </Stack>
    </form>
  )
}

const ChosenFiles = ({ files }: { files: readonly ChosenFile[] }) => (
  <section aria-label="Chosen files" role="status" className={styles.preview}>
    <Text size="sm" fw={500}>
      {countOf(files.length, 'file')}, {formatBytes(sizeOf(files))}
    </Text>
    <List size="sm" mt="xs">
      {files.slice(0, shownFiles).map(({ path, file }) => (
        <List.Item key={path}>
          <bdi>{path}</bdi>{' '}
          <Text span size="xs" c="dimmed">
            {formatBytes(file.size)}
          </Text>
        </List.Item>
      ))}
      {files.length > shownFiles && <List.Item>and {countOf(files.length - shownFiles, 'more', 'more')}</List.Item>}
    </List>
  </section>
)
