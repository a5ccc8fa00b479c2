import type { DatabaseSync } from 'node:sqlite'
import type { AnswerStore } from '../../shared/ai/known-answers.ts'

/** Answers of language models, one row per library version that uses one. They are deleted with its content. */
export function sqliteAnswers(db: DatabaseSync): AnswerStore {
  const find = db.prepare('SELECT answer FROM llm_answers WHERE hash = ? AND model = ? AND task = ? LIMIT 1')
  const keep = db.prepare(
    'INSERT OR REPLACE INTO llm_answers (key, version, task, model, hash, answer, job) VALUES (?, ?, ?, ?, ?, ?, ?)',
  )
  const settle = db.prepare('DELETE FROM llm_answers WHERE key = ? AND version = ? AND job <> ?')
  return (key, version, job) => {
    const write = ({ task, model, hash }: Parameters<ReturnType<AnswerStore>['find']>[0], answer: string) =>
      keep.run(key, version, task, model, hash, answer, job)
    return {
      find(question) {
        const row = find.get(question.hash, question.model, question.task)
        if (!row) return undefined
        write(question, String(row.answer))
        return JSON.parse(String(row.answer))
      },
      keep: (question, answer) => void write(question, JSON.stringify(answer)),
      settle: () => void settle.run(key, version, job),
    }
  }
}

/** Deletes the answers for libraries that do not exist or were replaced by an import, unless one of their jobs is unfinished. */
export function sweepAnswers(db: DatabaseSync): void {
  db.exec(`
    DELETE FROM llm_answers WHERE key NOT IN (SELECT key FROM libraries WHERE imported = 0)
      AND key NOT IN (SELECT key FROM jobs WHERE state IN ('queued', 'parsing', 'finalizing'))`)
}
