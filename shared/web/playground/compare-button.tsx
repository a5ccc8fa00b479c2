import { Button } from '@mantine/core'
import { Columns2 } from 'lucide-react'
import type { PlaygroundSearch } from './playground-search.ts'

type CompareButtonProps = Pick<PlaygroundSearch, 'a' | 'b'> & { change: (changes: Pick<PlaygroundSearch, 'b'>) => void }

/** Shows a second column, which begins with the setting of the first, or removes it. */
export const CompareButton = ({ a, b, change }: CompareButtonProps) => (
  <Button
    variant="default"
    leftSection={<Columns2 size={16} aria-hidden />}
    aria-pressed={b !== undefined}
    onClick={() => change({ b: b ? undefined : a })}
  >
    {b ? 'End comparison' : 'Compare'}
  </Button>
)
