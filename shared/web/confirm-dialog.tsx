import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { MessageText } from './message-text.tsx'

type ConfirmDialogProps = {
  opened: boolean
  close: () => void
  /** The question, for example "Delete /acme/widgets?" */
  question: string
  /** The data that is lost, or the effect of the action. */
  consequence: ReactNode
  /** The verb of the button, for example "Delete library". */
  verb: string
  /** The dialog asks for this text, because the lost data cannot be fetched again. */
  typed?: string | undefined
  /** The button that closes the dialog. */
  dismiss?: string
  /** True by default. */
  isDestructive?: boolean
  /** What is announced when it is done; undefined if `onConfirm` announces it, or if the next page shows it. */
  done: string | undefined
  onConfirm: () => Promise<unknown>
}

/** The confirmation of an action that others notice. An error of the action is shown in the dialog. */
export const ConfirmDialog = ({ opened, close, question, ...rest }: ConfirmDialogProps) => (
  <Modal opened={opened} onClose={close} title={question}>
    <Confirmation close={close} {...rest} />
  </Modal>
)

type ConfirmationProps = Omit<ConfirmDialogProps, 'opened' | 'question'>

function Confirmation({
  consequence,
  typed,
  dismiss = 'Cancel',
  isDestructive = true,
  done,
  onConfirm,
  verb,
  close,
}: ConfirmationProps) {
  const [text, setText] = useState('')
  const action = useMutation({ meta: { done }, mutationFn: onConfirm, onSuccess: close })
  return (
    <Stack gap="md">
      <Text component="div" size="sm">
        {consequence}
      </Text>
      {typed !== undefined && (
        <TextInput label={`Type ${typed} to confirm`} value={text} onChange={(event) => setText(event.currentTarget.value)} />
      )}
      {action.error && (
        <Text size="sm" c="var(--bad)" role="alert">
          <MessageText>{action.error.message}</MessageText>
        </Text>
      )}
      <Group justify="flex-end" gap="xs">
        <Button variant="default" onClick={close}>
          {dismiss}
        </Button>
        <Button
          {...(isDestructive && { color: 'red' })}
          loading={action.isPending}
          disabled={typed !== undefined && text !== typed}
          onClick={() => action.mutate()}
        >
          {verb}
        </Button>
      </Group>
    </Stack>
  )
}
