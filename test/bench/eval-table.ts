/** A question as the kit's scorer reports it: shares of 0 or 1, and the reciprocal rank. */
export type ScoredQuestion = { kind: string; r1: number; r5: number; r10: number; b2: number; mrr: number }

/** The answers to the questions of a set by one way of searching. */
export type ScoredSearch = {
  set: string
  search: string
  questions: ScoredQuestion[]
  indexingSeconds: number
  answeringSeconds: number
}

/** Prints the figures of each way of searching over all sets, by set and by kind of question. */
export function printSearches(scored: ScoredSearch[]): void {
  console.log('Ways of searching, all sets together')
  console.table(rowsBy(scored, ({ search }) => [search]))
  console.log('Ways of searching, by set')
  console.table(rowsBy(scored, ({ search, set }) => [set, search]))
  console.log('Ways of searching, by kind of question')
  const byKind = scored.flatMap((each) =>
    kindsOf(each).map((kind) => ({ ...each, kind, questions: each.questions.filter((question) => question.kind === kind) })),
  )
  console.table(rowsBy(byKind, ({ kind, search }) => [kind, search], false))
}

const kindsOf = ({ questions }: ScoredSearch): string[] => [...new Set(questions.map(({ kind }) => kind))]

function rowsBy<Scored extends ScoredSearch>(
  scored: Scored[],
  namesOf: (each: Scored) => string[],
  hasCost = true,
): Record<string, Record<string, string | number>> {
  const groups = Map.groupBy(scored, (each) => namesOf(each).join(', '))
  const rows = [...groups].map(([name, group]) => {
    const cost = {
      'indexing CPU s': fixed(sum(group.map(({ indexingSeconds }) => indexingSeconds)), 1),
      'answers CPU s': fixed(sum(group.map(({ answeringSeconds }) => answeringSeconds)), 1),
    }
    return [name, { ...figuresOf(group.flatMap(({ questions }) => questions)), ...(hasCost && cost) }] as const
  })
  return Object.fromEntries(rows.toSorted(([a], [b]) => (hasCost ? 0 : a.localeCompare(b))))
}

function figuresOf(questions: ScoredQuestion[]): Record<string, string | number> {
  const mean = (key: Exclude<keyof ScoredQuestion, 'kind'>) =>
    fixed(sum(questions.map((each) => each[key])) / questions.length, 3)
  return { n: questions.length, 'R@1': mean('r1'), 'R@5': mean('r5'), 'R@10': mean('r10'), 'in 2k': mean('b2'), MRR: mean('mrr') }
}

const sum = (numbers: number[]): number => numbers.reduce((total, each) => total + each, 0)
const fixed = (number: number, digits: number): string => number.toFixed(digits)
