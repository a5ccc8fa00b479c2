import { Button, type ButtonProps, Group, Modal, Stack, Text, TextInput } from '@mantine/core'
import { type ReactNode, useState } from 'react'

type ConfirmButtonProps = ButtonProps & {
  /** The verb of the button, for example "Delete library". */
  children: string
  /** The question in the dialog, for example "Delete /acme/widgets?" */
  question: string
  /** What is lost. */
  consequence: ReactNode
  /** The dialog asks for this text, because what is lost cannot be fetched again. */
  typed?: string
  /** The button that closes the dialog. */
  dismiss?: string
  onConfirm: () => Promise<unknown>
}

/** A destructive action with its confirmation. An error of the action is shown in the dialog. */
export function ConfirmButton({
  children,
  question,
  consequence,
  typed,
  dismiss = 'Cancel',
  onConfirm,
  ...button
}: ConfirmButtonProps) {
  const [isOpen, setIsOpen] = useState(false)
  return (
    <>
      <Button variant="default" {...button} onClick={() => setIsOpen(true)}>
        {children}
      </Button>
      <Modal opened={isOpen} onClose={() => setIsOpen(false)} title={question}>
        <Confirmation {...{ consequence, typed, dismiss, onConfirm }} verb={children} close={() => setIsOpen(false)} />
      </Modal>
    </>
  )
}

type ConfirmationProps = Pick<ConfirmButtonProps, 'consequence' | 'typed' | 'dismiss' | 'onConfirm'> & {
  verb: string
  close: () => void
}

function Confirmation({ consequence, typed, dismiss, onConfirm, verb, close }: ConfirmationProps) {
  const [text, setText] = useState('')
  const [error, setError] = useState<string>()
  const [isBusy, setIsBusy] = useState(false)
  const confirm = async () => {
    setIsBusy(true)
    try {
      await onConfirm()
      close()
    } catch (thrown) {
      setError(thrown instanceof Error ? thrown.message : String(thrown))
    } finally {
      setIsBusy(false)
    }
  }
  return (
    <Stack gap="md">
      <Text component="div" size="sm">
        {consequence}
      </Text>
      {typed !== undefined && (
        <TextInput label={`Type ${typed} to confirm`} value={text} onChange={(event) => setText(event.currentTarget.value)} />
      )}
      {error !== undefined && (
        <Text size="sm" c="red" role="alert">
          {error}
        </Text>
      )}
      <Group justify="flex-end" gap="xs">
        <Button variant="default" onClick={close}>
          {dismiss}
        </Button>
        <Button color="red" loading={isBusy} disabled={typed !== undefined && text !== typed} onClick={confirm}>
          {verb}
        </Button>
      </Group>
    </Stack>
  )
}
