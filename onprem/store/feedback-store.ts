import type { DatabaseSync } from 'node:sqlite'
import { transaction } from '../../shared/store/database.ts'

/** `unanswered`: a question that a library did not answer. The others rate an answer. */
export const feedbackKinds = ['unanswered', 'helpful', 'unhelpful'] as const
export type FeedbackKind = (typeof feedbackKinds)[number]

export type Feedback = {
  id: number
  /** The key of a library. */
  key: string
  at: string
  kind: FeedbackKind
  question: string
  comment: string
  /** How often the same question had no answer. 1 for a rating. */
  times: number
}
export type Rating = Pick<Feedback, 'key' | 'question' | 'comment'> & { kind: 'helpful' | 'unhelpful'; author: string }
export type FeedbackFilter = { key?: string | undefined; kind?: FeedbackKind | undefined }

/** Stores what people and agents say about answers. It holds text of questions, so only an install that wants it keeps any. */
export type FeedbackStore = {
  /** Keeps a question once per library, with the time and number of its repetitions. */
  addUnanswered(key: string, question: string): void
  /** Stores a rating unless its author already has `max` ratings after `since`. Returns the time of the one that must leave first, or undefined if it is stored. */
  rate(rating: Rating, limit: { since: string; max: number }): string | undefined
  /** Newest first. */
  list(filter: FeedbackFilter, since: string, page: number, pageSize: number): { feedback: Feedback[]; total: number }
  /** Returns false if there is none with this id. */
  remove(id: number): boolean
  /** Deletes all of a library, or of all libraries without a key. Returns how many. */
  removeAll(key?: string): number
  /** Deletes what is older. */
  removeBefore(time: string): void
}

/** The newest questions that are kept of each library, because anonymous callers can ask any number of them. */
const maxUnanswered = 1_000

export function sqliteFeedback(db: DatabaseSync, now: () => Date): FeedbackStore {
  const addQuestion = db.prepare(
    `INSERT INTO feedback (key, at, kind, question, comment, times) VALUES (?, ?, 'unanswered', ?, '', 1)
     ON CONFLICT (key, question) WHERE kind = 'unanswered' DO UPDATE SET times = times + 1, at = excluded.at`,
  )
  const trim = db.prepare(
    `DELETE FROM feedback WHERE key = ? AND kind = 'unanswered' AND id NOT IN
     (SELECT id FROM feedback WHERE key = ? AND kind = 'unanswered' ORDER BY at DESC, id DESC LIMIT ${maxUnanswered})`,
  )
  const addRating = db.prepare(
    `INSERT INTO feedback (key, at, kind, question, comment, author, times) SELECT $key, $at, $kind, $question, $comment, $author, 1
     WHERE (SELECT count(*) FROM feedback WHERE author = $author AND at > $since) < $max`,
  )
  const newestOfAuthor = db.prepare('SELECT at FROM feedback WHERE author = ? ORDER BY at DESC LIMIT 1 OFFSET ?')
  const matches = 'key = coalesce(?, key) AND kind = coalesce(?, kind) AND at >= ?'
  const select = db.prepare(
    `SELECT id, key, at, kind, question, comment, times FROM feedback WHERE ${matches} ORDER BY at DESC, id DESC LIMIT ? OFFSET ?`,
  )
  const count = db.prepare(`SELECT count(*) AS entries FROM feedback WHERE ${matches}`)
  const removeOne = db.prepare('DELETE FROM feedback WHERE id = ?')
  const removeMatching = db.prepare('DELETE FROM feedback WHERE key = coalesce(?, key)')
  const removeOld = db.prepare('DELETE FROM feedback WHERE at < ?')
  return {
    addUnanswered: (key, question) =>
      transaction(db, () => {
        addQuestion.run(key, now().toISOString(), question)
        trim.run(key, key)
      }),
    // One statement, so that no other rating comes between the check and the insertion.
    rate(rating, { since, max }) {
      const { changes } = addRating.run({ ...rating, at: now().toISOString(), since, max })
      return changes > 0 ? undefined : String(newestOfAuthor.get(rating.author, max - 1)?.at)
    },
    list({ key = null, kind = null }: { key?: string | null; kind?: FeedbackKind | null }, since, page, pageSize) {
      const rows = select.all(key, kind, since, pageSize, (page - 1) * pageSize)
      return { feedback: rows.map((row) => ({ ...row }) as Feedback), total: Number(count.get(key, kind, since)?.entries) }
    },
    remove: (id) => removeOne.run(id).changes > 0,
    removeAll: (key) => Number(removeMatching.run(key ?? null).changes),
    removeBefore: (time) => void removeOld.run(time),
  }
}
