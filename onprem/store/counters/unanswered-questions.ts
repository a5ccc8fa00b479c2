import type { DatabaseSync } from 'node:sqlite'
import { utcDay } from '../../../shared/time/utc-day.ts'

/** Counts questions that no snippet of a library answered, by library and UTC day. Their text is not stored. */
export type UnansweredQuestions = {
  /** `key`: that of a library. */
  count(key: string): void
  /** Days without such questions are omitted, oldest first. */
  read(key: string, from: string): { total: number; daily: { date: string; count: number }[] }
}

export function unansweredQuestions(db: DatabaseSync, now: () => Date): UnansweredQuestions {
  const add = db.prepare('INSERT INTO usage_unanswered VALUES (?, ?, 1) ON CONFLICT DO UPDATE SET count = count + 1')
  const total = db.prepare('SELECT coalesce(sum(count), 0) AS total FROM usage_unanswered WHERE id = ?')
  const days = db.prepare('SELECT date, count FROM usage_unanswered WHERE id = ? AND date >= ? ORDER BY date')
  return {
    count: (key) => void add.run(key, utcDay(now())),
    read: (key, from) => ({
      total: Number(total.get(key)?.total),
      daily: days.all(key, from).map(({ date, count }) => ({ date: String(date), count: Number(count) })),
    }),
  }
}
