import { commonFigures, type Figure } from '../../../../shared/web/usage/usage-figures.tsx'

/** The figures of this install above its charts. */
export const installFigures: readonly Figure[] = [
  ...commonFigures,
  { label: 'Questions without an answer', of: ({ unanswered }) => unanswered },
]
