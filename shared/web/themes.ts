import { Monitor, Moon, Sun } from 'lucide-react'

export const themes = [
  { value: 'auto', label: 'System theme', icon: Monitor },
  { value: 'light', label: 'Light theme', icon: Sun },
  { value: 'dark', label: 'Dark theme', icon: Moon },
] as const
