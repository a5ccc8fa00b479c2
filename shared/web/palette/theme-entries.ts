import { useMantineColorScheme } from '@mantine/core'
import { themes } from '../themes.ts'
import type { PaletteEntry } from './palette-entries.ts'

/** The entries that change the theme. */
export function useThemeEntries(): PaletteEntry[] {
  const { setColorScheme } = useMantineColorScheme()
  return themes.map(({ value, label, icon }) => ({
    label,
    icon,
    keywords: ['appearance', 'mode'],
    run: () => setColorScheme(value),
  }))
}
