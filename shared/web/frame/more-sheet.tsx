import { CloseButton, SegmentedControl, Text, Title, UnstyledButton, useMantineColorScheme } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { LogOut } from 'lucide-react'
import { type MouseEvent, useEffect, useRef } from 'react'
import { MessageText } from '../message-text.tsx'
import { themes } from '../themes.ts'
import type { FrameAccount, FramePage } from './frame-page.ts'
import styles from './more-sheet.module.css'

type MoreSheetProps = {
  pages: readonly FramePage[]
  help: readonly FramePage[]
  account: FrameAccount
  isOpen: boolean
  close: () => void
}

/** What the bar of a phone has no place for, in a sheet above it. */
export function MoreSheet({ pages, help, account, isOpen, close }: MoreSheetProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    if (isOpen && !dialog.current?.open) dialog.current?.showModal()
    if (!isOpen) dialog.current?.close()
  }, [isOpen])
  const closeAfterLink = ({ target }: MouseEvent) => {
    if (target === dialog.current || (target as Element).closest('a')) close()
  }
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes it, too.
    <dialog ref={dialog} className={styles.sheet} aria-labelledby="more-sheet" onClose={close} onClick={closeAfterLink}>
      <div className={styles.content}>
        <div className={styles.head}>
          <Title order={2} id="more-sheet">
            More
          </Title>
          <CloseButton size="lg" aria-label="Close" onClick={close} />
        </div>
        <PageLinks name="More pages" pages={pages} />
        {help.length > 0 && (
          <>
            <div className={styles.group} aria-hidden>
              Help
            </div>
            <PageLinks name="Help" pages={help} />
          </>
        )}
        <Account {...account} />
      </div>
    </dialog>
  )
}

const PageLinks = ({ name, pages }: { name: string; pages: readonly FramePage[] }) => (
  <nav aria-label={name}>
    <ul className={styles.links}>
      {pages.map(({ to, label, icon: Icon, name, badge }) => (
        <li key={to}>
          <Link to={to} className={styles.link} aria-label={name ?? label}>
            <Icon size={18} aria-hidden />
            <span className={styles.label}>{label}</span> {badge !== undefined && <span className={styles.badge}>{badge}</span>}
          </Link>
        </li>
      ))}
    </ul>
  </nav>
)

function Account({ name, page, signOut, error }: FrameAccount) {
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  return (
    <>
      <div className={styles.group}>
        <bdi>{name}</bdi>
      </div>
      <PageLinks name="Account" pages={[page]} />
      <SegmentedControl
        aria-label="Theme"
        fullWidth
        my={8}
        data={themes.map(({ value, label }) => ({ value, label: label.replace(' theme', '') }))}
        value={colorScheme}
        onChange={(value) => setColorScheme(value as typeof colorScheme)}
      />
      <UnstyledButton className={styles.link} onClick={signOut}>
        <LogOut size={18} aria-hidden />
        Sign out
      </UnstyledButton>
      {error && (
        <Text size="sm" c="var(--bad)" role="alert" px={10}>
          <MessageText>{error.message}</MessageText>
        </Text>
      )}
    </>
  )
}
