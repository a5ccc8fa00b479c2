import { Button, Group, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { CircleAlert } from 'lucide-react'
import { answerOf } from '../../../../shared/web/api/answer-of.ts'
import { api } from '../../api/api.ts'
import styles from './connection-test.module.css'

/** A real MCP client, run by the server against its own address. */
export function ConnectionTest() {
  const test = useMutation({ mutationFn: () => answerOf(api.connect.test.$post()) })
  const problem = test.error?.message ?? test.data?.error
  return (
    <Group gap="sm" align="center">
      <Button variant="default" loading={test.isPending} onClick={() => test.mutate()}>
        Test the server
      </Button>
      <div aria-live="polite" className={styles.result}>
        {test.data?.ok && (
          <Text size="sm" c="dimmed">
            The server reaches itself at this address in {test.data.ms} ms, by MCP {test.data.protocol}, with the tools{' '}
            {test.data.tools.join(', ')}. If your agent does not, the cause is between the two.
          </Text>
        )}
        {problem !== undefined && (
          <Text size="sm" c="var(--bad)" className={styles.mark} role="alert">
            <CircleAlert size={16} aria-hidden /> {problem}
          </Text>
        )}
      </div>
    </Group>
  )
}
