import { Button, NativeSelect } from '@mantine/core'
import { ArrowLeftRight, X } from 'lucide-react'
import styles from './compare.module.css'
import type { ChangeContent, ShownContent } from './shown-content.ts'

type CompareBarProps = {
  shown: ShownContent
  change: ChangeContent
  versions: readonly string[]
  nameOf: (version: string) => string
}

/** The value of no version: versions have no line breaks. */
const none = '\n'

/** Chooses the version that the shown one is compared with. */
export function CompareBar({ shown: { version, compare }, change, versions, nameOf }: CompareBarProps) {
  const others = ['', ...versions].filter((each) => each !== version)
  if (others.length === 0) return null
  return (
    <div className={styles.bar}>
      <NativeSelect
        size="xs"
        aria-label="Compare with"
        data={[
          { value: none, label: 'Compare with…' },
          ...others.map((value) => ({ value, label: `Compare with ${nameOf(value)}` })),
        ]}
        value={compare ?? none}
        onChange={({ currentTarget: { value } }) => change({ compare: value === none ? undefined : value })}
      />
      {compare !== undefined && (
        <>
          <Button
            size="xs"
            variant="default"
            leftSection={<ArrowLeftRight size={14} aria-hidden />}
            onClick={() => change({ version: compare, compare: version })}
          >
            Swap
          </Button>
          <Button
            size="xs"
            variant="default"
            leftSection={<X size={14} aria-hidden />}
            onClick={() => change({ compare: undefined })}
          >
            End comparison
          </Button>
        </>
      )}
    </div>
  )
}
