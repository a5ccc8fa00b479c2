import { randomUUID } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Mail } from '../access/mail.ts'

/** Writes each message into a file of a folder, since nothing is sent from one machine. */
export const outbox = (folder: string): Mail => ({
  async send({ to, subject, text }) {
    const name = `${new Date().toISOString().replace(/\D/g, '')}-${randomUUID()}.txt`
    writeFileSync(join(folder, name), `To: ${to}\nSubject: ${subject}\n\n${text}`, { mode: 0o600 })
  },
})
