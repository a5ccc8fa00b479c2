/** A message of plain text to one address. */
export type Message = { to: string; subject: string; text: string }

export type Mail = { send(message: Message): Promise<void> }
