import { Button, type ButtonProps } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { ConfirmDialog } from './confirm-dialog.tsx'

type ConfirmButtonProps = ButtonProps & {
  /** The verb of the button, for example "Delete library". */
  children: string
  /** The question in the dialog, for example "Delete /acme/widgets?" */
  question: string
  /** The data that is lost. */
  consequence: ReactNode
  /** The dialog asks for this text, because the lost data cannot be fetched again. */
  typed?: string
  /** The button that closes the dialog. */
  dismiss?: string
  /** What is announced when it is done; undefined if `onConfirm` announces it, or if the next page shows it. */
  done: string | undefined
  onConfirm: () => Promise<unknown>
}

/** A destructive action with its confirmation. */
export function ConfirmButton({
  children,
  question,
  consequence,
  typed,
  dismiss = 'Cancel',
  done,
  onConfirm,
  ...button
}: ConfirmButtonProps) {
  const [isOpen, setIsOpen] = useState(false)
  return (
    <>
      <Button variant="default" {...button} onClick={() => setIsOpen(true)}>
        {children}
      </Button>
      <ConfirmDialog
        opened={isOpen}
        close={() => setIsOpen(false)}
        verb={children}
        {...{ question, consequence, typed, dismiss, done, onConfirm }}
      />
    </>
  )
}
