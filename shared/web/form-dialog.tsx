import { Modal, type ModalProps } from '@mantine/core'
import { useEffect, useRef } from 'react'

const question = 'Close this dialog? What you entered is not saved.'

type FormDialogProps = ModalProps & {
  /** False if the form has been sent. */
  isEdited?: boolean
}

/** A dialog with a form. Escape and a click next to it ask before entries are lost; a button of the form closes it without a question. */
export function FormDialog({ isEdited = true, opened, onClose, children, ...modal }: FormDialogProps) {
  const hasEntries = useRef(false)
  useEffect(() => {
    if (opened) hasEntries.current = false
  }, [opened])
  const close = () => {
    if (!isEdited || !hasEntries.current || confirm(question)) onClose()
  }
  return (
    <Modal opened={opened} onClose={close} {...modal}>
      <div
        onChange={() => {
          hasEntries.current = true
        }}
      >
        {children}
      </div>
    </Modal>
  )
}
