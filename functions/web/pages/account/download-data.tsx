import { Button, Stack } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { answerOf } from '../../../../shared/web/api/answer-of.ts'
import { FormError } from '../../../../shared/web/form-error.tsx'
import { saveFile } from '../../../../shared/web/save-file.ts'
import { api } from '../../api/api.ts'

/** Has the browser save what is stored about the user. */
export function DownloadData() {
  const download = useMutation({
    mutationFn: async () => {
      const data = await answerOf(api.account.data.$get())
      saveFile(new Blob([JSON.stringify(data, null, 2)], { type: 'application/json' }), 'carrel-account.json')
    },
  })
  return (
    <Stack gap="xs" align="flex-start">
      <Button variant="default" loading={download.isPending} onClick={() => download.mutate()}>
        Download my data
      </Button>
      <FormError error={download.error} fields={[]} />
    </Stack>
  )
}
