/** Whole words and ends of words: Googlebot, but not Botocore or Cubot phones. */
const selfNamed = /(?<!cu|Cu|CU)(?:[Bb]ot|BOT|[Cc]rawler|CRAWLER|[Ss]pider|SPIDER)s?(?![a-z])/

const maxAgentChars = 1000

/** True if a User-Agent names a bot, a crawler or a spider. HTTP libraries, curl and agents count as users. */
export const isBot = (userAgent: string): boolean => selfNamed.test(userAgent.slice(0, maxAgentChars))
