import { Alert, Group, Text } from '@mantine/core'
import { BookOpen } from 'lucide-react'
import { CopyButton } from '../../../../shared/web/copy-button.tsx'
import { TextLink } from '../../../../shared/web/link-button.tsx'

const maxShownChars = 500

/** Tells the reader how to point an agent at one library: with its id in the question, or in the rules of a project. */
export function OneLibrary({ id }: { id: string }) {
  const words = `use carrel with library ${id.slice(0, maxShownChars)}`
  return (
    <Alert color="gray" icon={<BookOpen size={18} aria-hidden />} title="One library">
      <Text size="sm">
        An agent that is connected as below searches every library of this install. To keep it to this one, add these words to a
        question, or to the rules of your project:
      </Text>
      <Group gap={6} mt={6}>
        <code>
          <bdi>{words}</bdi>
        </code>
        <CopyButton value={words} label="the words" />
      </Group>
      <Text size="sm" mt={6}>
        <TextLink from="/connect" to="/connect" search={({ client }) => ({ client })} underline="always">
          Connect to all libraries
        </TextLink>
      </Text>
    </Alert>
  )
}
