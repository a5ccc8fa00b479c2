import { Keyboard } from 'lucide-react'
import type { PaletteEntry } from './palette-entries.ts'

/** The entry that shows the keyboard shortcuts. */
export const shortcutsEntry = (show: () => void): PaletteEntry => ({
  label: 'Keyboard shortcuts',
  icon: Keyboard,
  keywords: ['help'],
  run: show,
})
