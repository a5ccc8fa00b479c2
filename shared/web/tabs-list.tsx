import { Tabs } from '@mantine/core'
import { type ReactNode, useEffect, useRef } from 'react'
import styles from './tabs-list.module.css'

/** A row of tabs, which scrolls sideways to the chosen one if it is wider than the page. */
export function TabsList({ children }: { children: ReactNode }) {
  const scroller = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const tab = scroller.current?.querySelector<HTMLElement>('[aria-selected="true"]')
    if (scroller.current && tab)
      scroller.current.scrollLeft = tab.offsetLeft - (scroller.current.clientWidth - tab.offsetWidth) / 2
  }, [])
  return (
    <div ref={scroller} className={styles.scroller}>
      <Tabs.List className={styles.list}>{children}</Tabs.List>
    </div>
  )
}
