import { useHotkeys } from '@mantine/hooks'

type Shortcut = {
  /** How Mantine names the keys. */
  hotkeys: readonly string[]
  does: string
  where: 'Everywhere' | 'In lists'
  /** True if it also works while somebody writes in a field. */
  inFields?: boolean
}

/** Every shortcut of the web UIs. A handler is registered by the name here, so the list that `?` shows has all of them. */
export const shortcuts = {
  search: { hotkeys: ['mod+K'], does: 'Search, go to a page, or run an action', where: 'Everywhere', inFields: true },
  // On most keyboards the question mark needs Shift.
  list: { hotkeys: ['?', 'shift+?'], does: 'Show the keyboard shortcuts', where: 'Everywhere' },
  filter: { hotkeys: ['/'], does: 'Go to the filter or search of the page', where: 'Everywhere' },
  next: { hotkeys: ['j'], does: 'Go to the next row', where: 'In lists' },
  previous: { hotkeys: ['k'], does: 'Go to the previous row', where: 'In lists' },
  close: { hotkeys: ['Escape'], does: 'Close the open row', where: 'In lists' },
} as const satisfies Record<string, Shortcut>

export type ShortcutName = keyof typeof shortcuts

/** Runs `run` when the keys of a shortcut are pressed. */
export function useShortcut(name: ShortcutName, run: () => void): void {
  const { hotkeys, inFields = false }: Shortcut = shortcuts[name]
  useHotkeys(
    hotkeys.map((hotkey) => [hotkey, run]),
    inFields ? [] : undefined,
  )
}

export const isMac = (): boolean => /Mac|iPhone|iPad/.test(navigator.platform)

/** The keys as they are written on a keyboard: "Ctrl", "K". */
export const keysOf = (name: ShortcutName): string[] =>
  (shortcuts[name].hotkeys[0] ?? '')
    .split('+')
    .map((key) => (key === 'mod' ? (isMac() ? '⌘' : 'Ctrl') : key === 'Escape' ? 'Esc' : key))
