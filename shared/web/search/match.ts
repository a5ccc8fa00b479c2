import { FileText, Hash, TextQuote } from 'lucide-react'
import type { FoundMatch } from './found.ts'

export const matchIcons = { page: FileText, heading: Hash, text: TextQuote } as const

/** The page and section of a match, except what its text says already. */
export const placeOf = ({ kind, title, section = '', path }: FoundMatch): string =>
  kind === 'page' ? path : [title, ...(kind === 'text' ? section.split(' > ') : [])].filter(isNew).join(' › ')

/** False for an empty name and for the first heading of a page, which repeats its title. */
const isNew = (name: string, at: number, names: readonly string[]): boolean => name !== '' && name !== names[at - 1]
