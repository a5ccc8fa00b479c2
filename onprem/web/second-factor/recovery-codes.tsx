import { Button, Code, Group, Stack, Text } from '@mantine/core'
import { CopyButton } from '../../../shared/web/copy-button.tsx'

type RecoveryCodesProps = { codes: string[]; done: () => void }

/** New recovery codes, for the only time. */
export function RecoveryCodes({ codes, done }: RecoveryCodesProps) {
  const text = codes.join('\n')
  return (
    <Stack gap="md">
      <Text size="sm">
        Store these recovery codes where you find them without your device. Each replaces the second factor once. They are not
        shown again.
      </Text>
      <Code block aria-label="Recovery codes">
        {text}
      </Code>
      <Group justify="space-between" gap="xs">
        <CopyButton value={text} label="the recovery codes">
          Copy codes
        </CopyButton>
        <Button onClick={done}>I stored them</Button>
      </Group>
    </Stack>
  )
}
