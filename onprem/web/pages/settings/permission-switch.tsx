import { Switch, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { CircleAlert } from 'lucide-react'
import { useState } from 'react'
import { Conflict } from '../../../../shared/web/api/change-state.ts'
import { ConfirmDialog } from '../../../../shared/web/confirm-dialog.tsx'
import { MessageText } from '../../../../shared/web/message-text.tsx'
import { changeSettings } from '../../api/change-settings.ts'
import type { ShownSettings } from '../../api/queries.ts'
import styles from './permission-switch.module.css'
import type { PermissionText } from './permission-texts.ts'
import { useLinkedField } from './use-linked-field.ts'

type PermissionSwitchProps = { text: PermissionText; settings: ShownSettings; reachable: boolean }

/** One permission with its effect in words. Letting more callers in is confirmed. */
export function PermissionSwitch({ text, settings, reachable }: PermissionSwitchProps) {
  const { name, label, question, effect, open, confirm } = text
  const isOn = settings[name] === true
  const [asks, setAsks] = useState(false)
  const id = name
  useLinkedField(id)
  const change = useMutation({
    meta: { done: 'Permission saved.' },
    mutationFn: (value: boolean) => changeSettings(settings, { [name]: value }),
  })
  const isOpen = isOn === open
  return (
    <div className={styles.permission}>
      <Switch
        id={id}
        label={label}
        checked={isOn}
        disabled={change.isPending}
        aria-describedby={`${id}-effect`}
        onChange={() => (isOn === open ? change.mutate(!isOn) : setAsks(true))}
      />
      <Text id={`${id}-effect`} size="sm" c="dimmed" className={styles.effect}>
        {effect}
      </Text>
      {isOpen && reachable && (
        <p className={styles.warning}>
          <CircleAlert size={16} aria-hidden /> {confirm}
        </p>
      )}
      {change.error && (
        <Text size="sm" c="var(--bad)" role="alert" className={styles.effect}>
          {change.error instanceof Conflict ? (
            `This was turned ${isOn ? 'on' : 'off'} since the page was loaded, in another tab or by another admin. Nothing was changed now.`
          ) : (
            <MessageText>{change.error.message}</MessageText>
          )}
        </Text>
      )}
      <ConfirmDialog
        opened={asks}
        close={() => setAsks(false)}
        question={question}
        consequence={`${confirm}${reachable ? ' Other machines can reach this server.' : ''}`}
        verb={open ? 'Allow' : 'Turn off'}
        done={undefined}
        onConfirm={() => change.mutateAsync(!isOn)}
      />
    </div>
  )
}
