import { Button, List, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { Download } from 'lucide-react'
import { answerOf } from '../../../../shared/web/api/answer-of.ts'
import { MessageText } from '../../../../shared/web/message-text.tsx'
import { saveFile } from '../../../../shared/web/save-file.ts'
import { SettingsSection } from '../../../../shared/web/settings/settings-section.tsx'
import { api } from '../../api/api.ts'

const contents = [
  ['versions.json', 'versions of Carrel, Node and LanceDB, operating system, memory, uptime'],
  ['settings.json', 'every setting; of a secret only whether it is set'],
  ['license.json', 'the license without its signature'],
  ['stores.json', 'names and sizes of libraries and files'],
  ['jobs.jsonl', 'the newest 50 jobs with reports and logs, without quotations of documents'],
  ['log.jsonl', 'recent lines of the log'],
] as const

export function SupportPage() {
  const download = useMutation({
    mutationFn: async () => {
      const call = api['support-bundle'].$get()
      const answer = await call.catch(() => undefined)
      if (!answer?.ok) return Promise.reject(await answerOf(call).catch((error: unknown) => error))
      saveFile(await answer.blob(), nameOf(answer.headers.get('content-disposition')))
    },
  })
  return (
    <SettingsSection
      title="Support bundle"
      about="A zip file that helps others to find out what is wrong. It contains no documentation, no questions, no keys and no secrets. Look into it before you send it: names of libraries and addresses of repositories are in it."
      action={
        <Button leftSection={<Download size={16} aria-hidden />} loading={download.isPending} onClick={() => download.mutate()}>
          Download
        </Button>
      }
    >
      {download.error && (
        <Text size="sm" c="var(--bad)" role="alert">
          <MessageText>{download.error.message}</MessageText>
        </Text>
      )}
      <List spacing="xs">
        {contents.map(([file, what]) => (
          <List.Item key={file}>
            <Text span ff="monospace" size="sm">
              {file}
            </Text>
            : {what}
          </List.Item>
        ))}
      </List>
    </SettingsSection>
  )
}

const nameOf = (header: string | null): string => /filename="([^"]+)"/.exec(header ?? '')?.[1] ?? 'carrel-support.zip'
