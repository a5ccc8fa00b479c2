import { Badge } from '@mantine/core'
import styles from './library-table.module.css'

/** Facts about a library in a word or two each. */
export const LibraryBadges = ({ badges }: { badges: readonly string[] }) => (
  <span className={styles.badges}>
    {badges.map((text) => (
      <Badge key={text} variant="default" fw={500} tt="none">
        {text}
      </Badge>
    ))}
  </span>
)
