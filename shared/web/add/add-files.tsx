import '@mantine/dropzone/styles.layer.css'
import { Alert, Anchor, Button, FileButton, Group, List, Progress, Stack, Text, TextInput } from '@mantine/core'
import { Dropzone } from '@mantine/dropzone'
import { useMutation } from '@tanstack/react-query'
import { CircleAlert, FileText } from 'lucide-react'
import { type ReactNode, useRef, useState } from 'react'
import { countOf, formatBytes, formatShare } from '../format.ts'
import { MessageText } from '../message-text.tsx'
import { useUnsavedChanges } from '../use-unsaved-changes.ts'
import styles from './add-forms.module.css'
import { type ChosenFile, chosenFiles, sizeOf } from './chosen-files.ts'
import { sendUpload } from './send-upload.ts'

const shownFiles = 8

type AddFilesProps<Added> = {
  /** `name` is a field of the form that is sent, with its label and its description. */
  words: { invitation: string; hint: string; input: string; button: string; name: { label: string; description: string } }
  url: string | URL
  /** The fields of the form. */
  fields: { files: string; name: string }
  /** Further fields that are sent. */
  more?: Record<string, string>
  hasFolders?: boolean
  /** What a toast says afterwards. */
  done: string
  /** Why the files cannot be sent. */
  problemOf(files: readonly ChosenFile[]): string | undefined
  onAdded(added: Added): Promise<unknown>
  /** The inputs of `more`. */
  children?: ReactNode
}

/** Uploads files, which become a library. */
export function AddFiles<Added>(props: AddFilesProps<Added>) {
  const { words, url, fields, more = {}, hasFolders = false, done, problemOf, onAdded, children } = props
  const { invitation, hint, input, button } = words
  const [files, setFiles] = useState<ChosenFile[]>([])
  const [problem, setProblem] = useState<string>()
  const [name, setName] = useState('')
  const [share, setShare] = useState(0)
  const stop = useRef<AbortController>(undefined)
  const upload = useMutation({
    meta: { done },
    mutationFn: () => {
      stop.current = new AbortController()
      setShare(0)
      const form = new FormData()
      if (name.trim()) form.append(fields.name, name.trim())
      for (const [field, value] of Object.entries(more)) form.append(field, value)
      for (const { path, file } of files) form.append(fields.files, file, path)
      const { signal } = stop.current
      return sendUpload<Added>(url, form, { consequence: 'Nothing was added', signal, onProgress: setShare })
    },
    onSuccess: onAdded,
  })
  useUnsavedChanges(files.length > 0 && !upload.isPending && upload.data === undefined)
  const choose = (chosen: readonly File[]) => {
    if (chosen.length === 0) return
    const next = chosenFiles(chosen)
    const nextProblem = problemOf(next)
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
        {hasFolders && (
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
          label={words.name.label}
          description={words.name.description}
          value={name}
          maxLength={200}
          disabled={upload.isPending}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        {children}
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
