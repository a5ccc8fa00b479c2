/** Whole words and the ends of words: Googlebot, but neither Botocore nor the phones called Cubot. */
const selfNamed = /(?<!cu|Cu|CU)(?:[Bb]ot|BOT|[Cc]rawler|CRAWLER|[Ss]pider|SPIDER)s?(?![a-z])/

const maxAgentChars = 1000

/** Whether a client says of itself that it is a bot, a crawler or a spider. HTTP libraries, curl and agents are users. */
export const isBot = (userAgent: string): boolean => selfNamed.test(userAgent.slice(0, maxAgentChars))
