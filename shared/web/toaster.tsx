import { Button, Group, Text } from '@mantine/core'
import { Notifications, notifications } from '@mantine/notifications'
import '@mantine/notifications/styles.layer.css'
import { MessageText } from './message-text.tsx'
import styles from './toaster.module.css'

export type Toast = {
  /** What happened, as a sentence: "Settings saved." */
  message: string
  /** A button that undoes or shows what happened, for ten seconds. */
  action?: { label: string; run: () => void }
}

const shownMs = 5_000
const shownWithActionMs = 10_000

export const Toaster = () => (
  <Notifications withinPortal={false} className={styles.toasts ?? ''} containerWidth={400} transitionDuration={150} />
)

let lastId = 0

export function showToast({ message, action }: Toast): void {
  const id = `toast-${++lastId}`
  const run = () => {
    notifications.hide(id)
    action?.run()
  }
  notifications.show({
    id,
    role: 'status',
    withBorder: true,
    autoClose: action ? shownWithActionMs : shownMs,
    closeButtonProps: { 'aria-label': 'Dismiss' },
    classNames: { root: styles.toast ?? '', body: styles.body ?? '' },
    message: <Message message={message} action={action && { ...action, run }} />,
  })
}

const Message = ({ message, action }: { message: string; action: Toast['action'] | undefined }) => (
  <Group justify="space-between" wrap="nowrap" gap="sm">
    <Text size="sm">
      <MessageText>{message}</MessageText>
    </Text>
    {action && (
      <Button variant="subtle" size="compact-sm" className={styles.action ?? ''} onClick={action.run}>
        {action.label}
      </Button>
    )}
  </Group>
)
