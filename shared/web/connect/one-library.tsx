import { Alert, Group, Text } from '@mantine/core'
import { BookOpen } from 'lucide-react'
import type { ReactNode } from 'react'
import { CopyButton } from '../copy-button.tsx'

const maxShownChars = 500

type OneLibraryProps = {
  id: string
  /** The libraries that an agent searches otherwise. */
  all: string
  /** A link to the page without the library. */
  children: ReactNode
}

/** Tells the reader how to point an agent at one library: with its id in the question, or in the rules of a project. */
export function OneLibrary({ id, all, children }: OneLibraryProps) {
  const words = `use carrel with library ${id.slice(0, maxShownChars)}`
  return (
    <Alert color="gray" icon={<BookOpen size={18} aria-hidden />} title="One library">
      <Text size="sm">
        An agent that is connected as below searches {all}. To keep it to this one, add these words to a question, or to the rules
        of your project:
      </Text>
      <Group gap={6} mt={6}>
        <code>
          <bdi>{words}</bdi>
        </code>
        <CopyButton value={words} label="the words" />
      </Group>
      <Text size="sm" mt={6}>
        {children}
      </Text>
    </Alert>
  )
}
