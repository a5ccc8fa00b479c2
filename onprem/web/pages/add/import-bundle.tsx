import { MessageText } from '../../../../shared/web/message-text.tsx'
import '@mantine/dropzone/styles.layer.css'
import { Alert, Button, Group, Progress, Stack, Switch, Text } from '@mantine/core'
import { Dropzone } from '@mantine/dropzone'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { CircleAlert, FileArchive } from 'lucide-react'
import { useRef, useState } from 'react'
import styles from '../../../../shared/web/add/add-forms.module.css'
import { formatBytes, formatShare } from '../../../../shared/web/format.ts'
import { ImportResult } from './import-result.tsx'
import { uploadBundle } from './upload-bundle.ts'

const maxZipBytes = 100 * 2 ** 20
const maxJsonBytes = 2 * 2 ** 30

/** Uploads a file that the hosted half or another install exported. */
export function ImportBundle() {
  const queryClient = useQueryClient()
  const [file, setFile] = useState<File>()
  const [problem, setProblem] = useState<string>()
  const [force, setForce] = useState(false)
  const [share, setShare] = useState(0)
  const stop = useRef<AbortController>(undefined)
  const upload = useMutation({
    meta: { done: 'Bundle uploaded.' },
    mutationFn: (chosen: File) => {
      stop.current = new AbortController()
      setShare(0)
      return uploadBundle(chosen, { force, signal: stop.current.signal, onProgress: setShare })
    },
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ['jobs'] }),
  })
  const choose = (files: File[]) => {
    const problem = problemOf(files)
    setProblem(problem)
    setFile(problem === undefined ? files[0] : undefined)
    upload.reset()
  }
  if (upload.data) return <ImportResult result={upload.data} again={() => choose([])} />
  return (
    <Stack gap="md" className={styles.form}>
      <Dropzone
        onDrop={choose}
        onReject={(rejections) => choose(rejections.map(({ file }) => file as File))}
        multiple
        disabled={upload.isPending}
        inputProps={{ 'aria-label': 'Bundle to import' }}
      >
        <Stack gap={4} align="center" className={styles.drop}>
          <FileArchive size={28} aria-hidden />
          <Text fw={500}>{file ? file.name : 'Drop the exported file here, or choose it'}</Text>
          <Text size="sm" c="dimmed">
            {file ? formatBytes(file.size) : 'A .zip of up to 100 MB, or a .json'}
          </Text>
        </Stack>
      </Dropzone>
      <Switch
        label="Overwrite existing libraries"
        description="Without this, existing libraries are skipped. With it, versions that the bundle does not contain are removed."
        checked={force}
        disabled={upload.isPending}
        onChange={(event) => setForce(event.currentTarget.checked)}
      />
      {problem !== undefined && <Problem>{problem}</Problem>}
      {upload.error && <Problem>{upload.error.message}</Problem>}
      {upload.isPending && (
        <div aria-live="polite">
          <Progress value={share * 100} aria-label="Upload" />
          <Text size="sm" c="dimmed" mt={4}>
            {share < 1 ? `${formatShare(share)} uploaded` : 'Uploaded. Carrel checks the bundle.'}
          </Text>
        </div>
      )}
      <Group gap="sm">
        <Button disabled={!file} loading={upload.isPending} onClick={() => file && upload.mutate(file)}>
          Import
        </Button>
        {upload.isPending && (
          <Button variant="default" onClick={() => stop.current?.abort()}>
            Cancel
          </Button>
        )}
      </Group>
    </Stack>
  )
}

const Problem = ({ children }: { children: string }) => (
  <Alert color="red" variant="light" role="alert" icon={<CircleAlert size={18} aria-hidden />}>
    <MessageText>{children}</MessageText>
  </Alert>
)

/** The problem of the chosen files, found before anything is sent. */
function problemOf(files: File[]): string | undefined {
  const [file] = files
  if (!file) return undefined
  if (files.length > 1) return `Choose one file. You chose ${files.length}; import them one after the other.`
  const isZip = /\.zip$/i.test(file.name)
  if (!isZip && !/\.json$/i.test(file.name))
    return `${file.name} is neither a .zip nor a .json. Choose the file that was exported.`
  const limit = isZip ? maxZipBytes : maxJsonBytes
  if (file.size > limit)
    return `${file.name} has ${formatBytes(file.size)}. A ${isZip ? 'zip may have 104.9 MB (100 MiB)' : 'JSON file may have 2.1 GB (2 GiB)'}; export fewer libraries at once.`
  return file.size === 0 ? `${file.name} is empty. Export it again.` : undefined
}
